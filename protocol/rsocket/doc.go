// Package rsocket is RSocket 1.0 without a connection: the client's session, the answering end, and what they share.
//
// It is not resumption (a peer that asks for it is refused) and no other version of the protocol. Frames are in the
// package frame, the entries of composite metadata in metadata, the framing of RFC 6455 in websocket. Start reading
// at session.go for the client and responder.go for the server; carrier.go is what lies below both.
//
// Source: https://github.com/rsocket/rsocket/blob/master/Protocol.md and its Extensions.
package rsocket
