package grpc

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
)

func TestPrepare(t *testing.T) {
	for _, row := range []struct {
		name   string
		in     protocol.Input
		method string
		header []wiregauge.Field
		err    string
	}{
		{name: "a procedure of the contract", in: protocol.Input{Procedure: "/a.B/C"}, method: "/a.B/C"},
		{name: "a path without a contract", in: protocol.Input{Path: "/a.B/C"}, method: "/a.B/C"},
		{name: "without a slash", in: protocol.Input{Path: "a.B/C"}, method: "/a.B/C"},
		{name: "no method", in: protocol.Input{Path: "/"}, err: "expected /package.Service/Method"},
		{name: "a service alone", in: protocol.Input{Path: "/a.B"}, err: "expected /package.Service/Method"},
		{name: "JSON messages", in: protocol.Input{Path: "/a.B/C", Codec: "json"}, method: "/a.B/C",
			header: []wiregauge.Field{{Name: "content-type", Value: "application/grpc+json"}}},
		{name: "names in lower case, values without blanks around them", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "X-A", Value: " b "}}},
			method: "/a.B/C", header: []wiregauge.Field{{Name: "x-a", Value: "b"}}},
		{name: "binary metadata, padded and not, URL-safe", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "x-bin", Value: "AA==, _-8"}}},
			method: "/a.B/C", header: []wiregauge.Field{{Name: "x-bin", Value: "AA,/+8"}}},
		{name: "binary metadata that is not base64", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "x-bin", Value: "a b"}}}, err: "base64"},
		{name: "a reserved name", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "grpc-timeout", Value: "1S"}}}, err: "--timeout"},
		{name: "a hop-by-hop header", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "Connection", Value: "close"}}}, err: "not allowed on HTTP/2"},
		{name: "te", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "TE", Value: "trailers"}}}, err: "not allowed on HTTP/2"},
		{name: "a name with a blank", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "a b", Value: "c"}}}, err: "expected letters"},
		{name: "a value outside ASCII", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "a", Value: "ü"}}}, err: "printable ASCII"},
		{name: "another content-type", in: protocol.Input{Path: "/a.B/C", Header: []wiregauge.Field{{Name: "Content-Type", Value: "application/json"}}}, err: "is not gRPC"},
		{name: "an unknown compression", in: protocol.Input{Path: "/a.B/C", Compress: "zstd"}, err: "gzip"},
		{name: "two messages for a unary call", in: protocol.Input{Path: "/a.B/C", Bodies: [][]byte{{}, {}}}, err: "expected one"},
	} {
		r, err := Prepare(row.in)
		if row.err != "" {
			if err == nil || !strings.Contains(err.Error(), row.err) {
				t.Errorf("%s: error %v, expected one that says %q", row.name, err, row.err)
			}
			continue
		}
		if err != nil || r.Method != row.method || !slices.Equal(r.Header, row.header) || len(r.Messages) != 1 {
			t.Errorf("%s: %+v (%v), expected %s %v", row.name, r, err, row.method, row.header)
		}
	}
}

func TestPrepareKeepsTheCallersHeader(t *testing.T) {
	header := []wiregauge.Field{{Name: "X-A", Value: " b "}}
	if _, err := Prepare(protocol.Input{Path: "/a.B/C", Header: header}); err != nil || header[0].Name != "X-A" {
		t.Errorf("the caller's header became %v (%v)", header, err)
	}
}

func TestTimeouts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1:                                     "1n",
		99_999_999:                            "99999999n",
		100_000_000:                           "100m",
		time.Second:                           "1S",
		1500 * time.Millisecond:               "1500m",
		time.Second + 1:                       "1000001u", // rounded up
		100_000 * time.Second:                 "100000S",
		100_000_000 * time.Second:             "1666667M",
		2_000_000 * time.Hour:                 "2000000H",
		24 * time.Hour:                        "86400S",
		20*time.Millisecond + time.Nanosecond: "20000001n",
	} {
		got := encodeTimeout(d)
		if got != want || len(got) > 9 {
			t.Errorf("%v: %s, expected %s", d, got, want)
		}
	}
}
