package plant

import (
	"fmt"
	"strconv"
	"strings"
)

// A Code is a failure as HTTP and as gRPC name it.
type Code struct {
	HTTP int
	GRPC uint32

	own uint32 // RSocket's, where it was named so
}

// RSocket is the code of an ERROR frame: REJECTED for too much load, CANCELED, INVALID for what the client did wrong,
// else APPLICATION_ERROR.
func (c Code) RSocket() uint32 {
	if c.own != 0 {
		return c.own
	}
	switch c.HTTP {
	case 429, 503:
		return 0x202
	case 499:
		return 0x203
	case 400, 422:
		return 0x204
	}
	return 0x201
}

// codes follows google/rpc/code.proto: gRPC's names, in the order of their numbers, with their HTTP mapping.
var codes = []struct {
	name string
	http int
}{
	{"OK", 200}, {"CANCELLED", 499}, {"UNKNOWN", 500}, {"INVALID_ARGUMENT", 400}, {"DEADLINE_EXCEEDED", 504},
	{"NOT_FOUND", 404}, {"ALREADY_EXISTS", 409}, {"PERMISSION_DENIED", 403}, {"RESOURCE_EXHAUSTED", 429},
	{"FAILED_PRECONDITION", 400}, {"ABORTED", 409}, {"OUT_OF_RANGE", 400}, {"UNIMPLEMENTED", 501},
	{"INTERNAL", 500}, {"UNAVAILABLE", 503}, {"DATA_LOSS", 500}, {"UNAUTHENTICATED", 401},
}

// fromHTTP says which gRPC code stands for an HTTP status where more than one maps to it, or none.
var fromHTTP = map[int]uint32{400: 3, 401: 16, 403: 7, 404: 5, 409: 10, 429: 8, 499: 1, 500: 13, 501: 12, 503: 14, 504: 4}

// tooMany is what a bucket answers.
var tooMany = Code{HTTP: 429, GRPC: 8}

// parseCode reads an HTTP status (200 to 599), a gRPC number (1 to 16), a gRPC name, or a code of RSocket's (0x301).
func parseCode(v string) (Code, error) {
	for i, c := range codes {
		if strings.EqualFold(v, c.name) && i > 0 {
			return Code{HTTP: c.http, GRPC: uint32(i)}, nil
		}
	}
	if hex, ok := strings.CutPrefix(v, "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		if err != nil || n < 0x201 {
			return Code{}, fmt.Errorf("%q is no code of RSocket for one call: these begin at 0x201", v)
		}
		return Code{HTTP: 500, GRPC: 13, own: uint32(n)}, nil
	}
	n, err := strconv.Atoi(v)
	switch {
	case err != nil, n < 1, n > 599, n >= len(codes) && n < 200:
		return Code{}, fmt.Errorf("%q is no status: want an HTTP status, a gRPC number or a gRPC name", v)
	case n < len(codes):
		return Code{HTTP: codes[n].http, GRPC: uint32(n)}, nil
	}
	return Code{HTTP: n, GRPC: grpcCode(n)}, nil
}

// grpcCode is what stands for an HTTP status in gRPC.
func grpcCode(http int) uint32 {
	if c, ok := fromHTTP[http]; ok {
		return c
	}
	switch {
	case http < 300:
		return 0
	case http < 500:
		return 9 // FAILED_PRECONDITION
	}
	return 13 // INTERNAL
}
