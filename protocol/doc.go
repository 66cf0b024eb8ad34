// Package protocol is the table of wire protocols: what each is called, which URL schemes choose it, how its
// sessions and stack clients are made and how its failures are named.
//
// Each protocol is one folder below this one; its init calls Register. The folders never import one another
// except by layering (grpc on http2). Package all imports every one of them, and only the command imports all.
package protocol
