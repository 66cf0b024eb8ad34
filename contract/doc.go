// Package contract reads the description of a service, from .proto files, from a protoset or by server
// reflection, and turns JSON into the bytes that go over a wire and back.
//
// It knows messages and methods. It does not know how a call is made: no connection of its own except the one to
// a reflection service. Start reading at Load and Method.
package contract
