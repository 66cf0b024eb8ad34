// Package grpc is gRPC over HTTP/2: what its requests look like and what its answers mean, as Semantics of
// package http2. It knows nothing of frames; start reading at semantics.go, then status.go for how every odd
// answer is classified.
package grpc
