package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"wiregauge"
)

// Values of the suite's enumerations that this client knows.
const (
	http2        = 2
	protocolGRPC = 2
	gzip         = 2
	fullDuplex   = 5
)

// request is what a ClientCompatRequest asks for.
type request struct {
	name, service, method string
	host                  string
	port                  uint64
	certificate           []byte
	clientCert, clientKey []byte
	version, protocol     uint64
	compression, stream   uint64
	limit                 int
	header                []wiregauge.Field
	messages              [][]byte
	timeout               time.Duration
	delay                 time.Duration
	cancel                *cancel
}

// cancel says when the call is to be abandoned; after is -1 unless it is by number of responses.
type cancel struct {
	beforeClose bool
	delay       time.Duration
	after       int
}

func (r *request) address() string {
	return net.JoinHostPort(r.host, strconv.FormatUint(r.port, 10))
}

func parseRequest(raw []byte) (*request, error) {
	r := &request{service: "connectrpc.conformance.v1.ConformanceService"}
	err := fields(raw, func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 1:
			r.name = string(b)
		case 2:
			r.version = v
		case 3:
			r.protocol = v
		case 5:
			r.compression = v
		case 6:
			r.host = string(b)
		case 7:
			r.port = v
		case 8:
			r.certificate = b
		case 9:
			return fields(b, func(n protowire.Number, _ uint64, b []byte) error {
				if n == 1 {
					r.clientCert = b
				} else {
					r.clientKey = b
				}
				return nil
			})
		case 10:
			r.limit = int(v)
		case 11:
			r.service = string(b)
		case 12:
			r.method = string(b)
		default:
			return r.parseCall(n, v, b)
		}
		return nil
	})
	return r, err
}

// parseCall takes the fields that describe the call itself.
func (r *request) parseCall(n protowire.Number, v uint64, b []byte) error {
	switch n {
	case 13:
		r.stream = v
	case 15:
		return parseHeader(b, &r.header)
	case 16: // google.protobuf.Any: its value is the message
		return fields(b, func(n protowire.Number, _ uint64, b []byte) error {
			if n == 2 {
				r.messages[len(r.messages)-1] = b
				return nil
			}
			r.messages = append(r.messages, []byte{}) // an empty message, not none
			return nil
		})
	case 17:
		r.timeout = time.Duration(v) * time.Millisecond
	case 18:
		r.delay = time.Duration(v) * time.Millisecond
	case 19:
		r.cancel = &cancel{after: -1}
		return fields(b, func(n protowire.Number, v uint64, _ []byte) error {
			switch n {
			case 1:
				r.cancel.beforeClose = true
			case 2:
				r.cancel.delay = time.Duration(v) * time.Millisecond
			case 3:
				r.cancel.after = int(v)
			}
			return nil
		})
	}
	return nil
}

// parseHeader adds the values of one Header message.
func parseHeader(raw []byte, to *[]wiregauge.Field) error {
	var name string
	return fields(raw, func(n protowire.Number, _ uint64, b []byte) error {
		if n == 1 {
			name = strings.ToLower(string(b)) // HTTP/2 names are lower case
			return nil
		}
		*to = append(*to, wiregauge.Field{Name: name, Value: string(b)})
		return nil
	})
}

// fields calls each with every field of a message: v for varints, b for bytes.
func fields(raw []byte, each func(n protowire.Number, v uint64, b []byte) error) error {
	for len(raw) > 0 {
		n, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return protowire.ParseError(size)
		}
		raw = raw[size:]
		var (
			v uint64
			b []byte
		)
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(raw)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(raw)
		default:
			size = protowire.ConsumeFieldValue(n, kind, raw)
		}
		if size < 0 {
			return fmt.Errorf("field %d: %w", n, protowire.ParseError(size))
		}
		raw = raw[size:]
		if err := each(n, v, b); err != nil {
			return err
		}
	}
	return nil
}
