// Package stack holds what the stack clients share: the library that a Go service would really use (net/http,
// grpc-go) behind wiregauge.Client, one connection each, on a connection that counts its bytes and reads frame headers.
//
// Libraries try again on their own: net/http on a reused connection, HTTP/2 after GOAWAY and REFUSED_STREAM, grpc-go
// transparently. A second try is a failure (Outcome Retried), unless the frames of the connection prove that the
// server did not process the first one; then the call is OK and Resent.
package stack
