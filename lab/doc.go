// Package lab holds the services under test: Serve answers the reference services (hello, random, inventory,
// echo) on HTTP/1.1, HTTP/2, gRPC and raw TCP, plain and TLS, with the libraries a Go service would use, and
// misbehaves on purpose when it is told to (package plant). Launch starts and stops a foreign server.
//
// It is not a client and measures nothing but its own service times, which it hands out on its admin URL.
// Start reading at Serve; the contracts are in proto/.
package lab

import "embed"

//go:generate go -C .. run ./lab/gen

// Protos holds the contracts of the reference services, as proto/hello.proto and so on.
//
//go:embed proto/*.proto
var Protos embed.FS
