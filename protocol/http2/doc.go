// Package http2 is the client side of HTTP/2 (RFC 9113) on one connection, as a state machine without I/O, and
// plain HTTP on top of it. It is not a server and knows no socket, clock or goroutine.
//
// A Session is given Semantics, which say what a request's header block is and what an answer means; plain HTTP
// is one, gRPC (package grpc) another. h2c with prior knowledge and HTTP/2 over TLS are the same session.
//
// Start reading at Session, then receive.go for what comes in and send.go for what goes out.
package http2
