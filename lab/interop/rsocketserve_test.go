//go:build external

package interop

import (
	"fmt"
	"testing"
)

// served are steps for `wiregauge serve`. Data whose media type it does not know is bytes to it: a stream of the echo is
// then ten times what came.
var served = []step{
	{"one byte", "request echo size:1", okay(1, 1), nil},
	{"no bytes", "request echo -", okay(1, 0), nil},
	{"1 MiB", "request echo size:1048576", okay(1, 1<<20), nil},
	{"3 MiB", "request echo size:3145728", okay(1, 3<<20), nil},
	{"a stream", "stream echo.stream size:10", okay(10, 10), nil},
	{"a stream, two at a time", "stream echo.stream size:10 credit=2", okay(10, 10), nil},
	{"a stream, cancelled", "stream ticker text:1 take=3 credit=3", "cancelled 3", nil},
	{"a channel", "channel echo.channel size:10 count=7", okay(7, 10), nil},
	{"a channel beyond what is granted at first", "channel echo.channel size:10 count=500 credit=2", okay(500, 10), nil},
	{"a route that is not there", "request nope -", "failed 0 0x201 No handler for destination 'nope'", nil},
	{"1000 calls at once", "burst echo size:100 count=1000", "ok 1000 100000 -", nil},
	{"fire and forget", "fnf echo text:x", "sent", nil},
	{"still there", "request echo text:x", fmt.Sprintf("ok 1 1 %x", hash([]byte("x"))), nil},
}

// TestRSocketClientsOfOthersCallServe has every client that we did not write call the reference services, over what it
// can: all take TCP and WebSocket, and those on the JVM TLS.
func TestRSocketClientsOfOthersCallServe(t *testing.T) {
	r := serveReference(t)
	for _, client := range rsocketStacks {
		carriers := []string{"tcp", "ws"}
		if client.name == springFour.name || client.name == rsocketJava.name {
			carriers = append(carriers, "tls", "wss")
		}
		for _, carrier := range carriers {
			t.Run(client.name+" "+carrier, func(t *testing.T) {
				t.Parallel()
				var lines []string
				for _, s := range served {
					lines = append(lines, s.line)
				}
				said := client.says(t, carrier+"://"+r.address("rsocket+"+carrier), []string{"ca=" + r.ca, "mime=application/octet-stream"}, lines)
				for i, s := range served {
					if want := s.wants(client.name, "serve"); said[i] != want {
						t.Errorf("%s: %s says %q, want %q", s.name, client.name, said[i], want)
					}
				}
			})
		}
	}
}

// TestSpringCallsInventory has Spring's own requester ask a typed question in the codecs that it has.
func TestSpringCallsInventory(t *testing.T) {
	r := serveReference(t)
	for _, client := range []stack{springFour, springThree} {
		for _, mime := range []string{"application/cbor", "application/json"} {
			t.Run(client.name+" "+mime, func(t *testing.T) {
				t.Parallel()
				said := client.says(t, "tcp://"+r.address("rsocket+tcp"), []string{"mime=" + mime}, []string{"check inventory.check text:42:3"})
				if want := "ok Answer[sku=42, available=true, inStock=11, warehouse=fra-2]"; said[0] != want {
					t.Errorf("it says %q, want %q", said[0], want)
				}
			})
		}
	}
}
