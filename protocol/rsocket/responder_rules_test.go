package rsocket

import (
	"strings"
	"testing"
	"time"

	"wiregauge/protocol/rsocket/frame"
)

// A rule is what is sent to us and what is sent back.
type rule struct {
	name    string
	serving Serving
	sent    [][]byte
	want    string // what is sent back
	err     string // part of the error that ends the connection; "" for none
}

// twoASecond leases as the servers of the captures do.
var twoASecond = Serving{Lease: Lease{Requests: 2, TimeToLive: 800 * time.Millisecond, Every: time.Second}}

// Every row is a rule, or a way in which programs of others differ: the letters are those of the list of disagreements
// of the captures.
var rules = []rule{
	{name: "A: a push does not disturb what stands behind it in the same read",
		sent: [][]byte{cat(setUp(), wire(frame.Frame{Type: frame.MetadataPush, Flags: frame.Meta, Metadata: routed("meta.push")}), call(frame.RequestResponse, 1, "counts", ""))},
		want: "1: N C"},
	{name: "B: a client that asks for leases where there are none is refused, and a server with leases sends one",
		sent: [][]byte{setup(frame.Leasing, "text/plain")}, want: "0: ERROR 0x1", err: "lease is not supported"},
	{name: "B: leases", serving: twoASecond, sent: [][]byte{setup(frame.Leasing, "text/plain")}, want: "0: LEASE 800 2"},
	{name: "C: an error has its own code", sent: [][]byte{setUp(), call(frame.RequestResponse, 1, "err", "301")}, want: "1: ERROR 0x301"},
	{name: "D: an empty reply is a Complete without a message", sent: [][]byte{setUp(), call(frame.RequestResponse, 1, "empty", "")}, want: "1: C"},
	{name: "E: a lease says its time to live to the millisecond, and one call more is refused", serving: Serving{Lease: Lease{Requests: 1, TimeToLive: 1234 * time.Millisecond}},
		sent: [][]byte{cat(setup(frame.Leasing, "text/plain"), call(frame.RequestResponse, 1, "echo", "a"), call(frame.RequestResponse, 3, "echo", "b"))},
		want: "0: LEASE 1234 1; 1: N C; 3: ERROR 0x202"},
	{name: "K: which differs from a reply of no bytes", sent: [][]byte{setUp(), call(frame.RequestResponse, 1, "echo", "")}, want: "1: N C"},
	{name: "F: nothing is answered after a refused SETUP",
		sent: [][]byte{cat(setupRoute("refuse"), call(frame.RequestResponse, 1, "echo", "x"))}, want: "0: ERROR 0x3", err: "refused by lab"},
	{name: "M: a client that did not ask for leases is sent them, and held to them", serving: twoASecond,
		sent: [][]byte{cat(setUp(), call(frame.RequestResponse, 1, "echo", "a"), call(frame.RequestResponse, 3, "echo", "b"), call(frame.RequestResponse, 5, "echo", "c"))},
		want: "0: LEASE 800 2; 1: N C; 3: N C; 5: ERROR 0x202"},
	{name: "M: a one-way call over the lease is dropped without a word", serving: twoASecond,
		sent: [][]byte{cat(setUp(), call(frame.RequestResponse, 1, "echo", "a"), call(frame.RequestFNF, 3, "note", "b"), call(frame.RequestFNF, 5, "note", "c"))},
		want: "0: LEASE 800 2; 1: N C"},
	{name: "N: a keep-alive is answered with its own data, and before the calls of the same read",
		sent: [][]byte{cat(setUp(), call(frame.RequestResponse, 1, "echo", "a"), wire(frame.Frame{Type: frame.KeepAlive, Flags: frame.Respond, Data: []byte("d")}))},
		want: "0: KEEPALIVE d; 1: N C"},
	{name: "N: one that wants no answer gets none", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.KeepAlive, Data: []byte("d")})}},
	{name: "O: a frame of an unknown type ends the connection", sent: [][]byte{setUp(), wire(frame.Frame{Type: 0x20, Stream: 1})},
		want: "0: ERROR 0x101", err: "unknown type 0x20"},
	{name: "O: unless it may be ignored", sent: [][]byte{setUp(), wire(frame.Frame{Type: 0x20, Stream: 1, Flags: frame.Ignore}), call(frame.RequestResponse, 1, "echo", "a")}, want: "1: N C"},
	{name: "O: a PAYLOAD with neither Next nor Complete ends its call", sent: [][]byte{setUp(), callN(frame.RequestChannel, 1, "chan", "a", 9, 0), payload(1, 0, "b"), call(frame.RequestResponse, 3, "echo", "a")},
		want: "1: N REQUEST_N 8 ERROR 0x204; 3: N C"},
	{name: "O: metadata longer than its frame ends the connection",
		sent: [][]byte{setUp(), append([]byte{0, 0, 9, 0, 0, 0, 1, 0x11, 0}, 0, 0, 9)}, want: "0: ERROR 0x101", err: "metadata longer than its frame"},
	{name: "O: so does a frame without a head", sent: [][]byte{setUp(), {0, 0, 2, 0, 0}}, want: "0: ERROR 0x101", err: "2 bytes"},
	{name: "P: a request on a stream of the server's own", sent: [][]byte{setUp(), call(frame.RequestResponse, 2, "echo", "a")},
		want: "0: ERROR 0x101", err: "the streams of a client have odd numbers"},
	{name: "P: other frames on unknown streams are ignored",
		sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.Cancel, Stream: 8}), payload(9, frame.Next, "x"), requestN(11, 4), failure(13, 0x201), call(frame.RequestResponse, 1, "echo", "a")}, want: "1: N C"},
	{name: "Q: fragments of any size are taken",
		sent: [][]byte{setUp(), callN(frame.RequestResponse, 1, "echo", "a", 0, frame.Follows), payload(1, frame.Next|frame.Follows, "b"), payload(1, frame.Next, "c")}, want: "1: N C"},
	{name: "Q: without Next too", sent: [][]byte{setUp(), callN(frame.RequestResponse, 1, "echo", "a", 0, frame.Follows), payload(1, 0, "b")}, want: "1: N C"},
	{name: "S: a SETUP may come in pieces", sent: [][]byte{setUp()[:20], setUp()[20:], call(frame.RequestResponse, 1, "echo", "a")}, want: "1: N C"},
	{name: "T: the last message of a stream", sent: [][]byte{setUp(), callN(frame.RequestStream, 1, "ticks", "2", 9, 0)}, want: "1: N N C"},
	{name: "U: a channel's message beyond the credit ends it", sent: [][]byte{setUp(), callN(frame.RequestChannel, 1, "chan", "a", 1, 0), payload(1, frame.Next, "b")}, want: "1: N ERROR 0x203"},
	{name: "U: an end costs no credit", sent: [][]byte{setUp(), callN(frame.RequestChannel, 1, "chan", "a", 1, 0), payload(1, frame.Complete, "")}, want: "1: N C"},
	{name: "U: a channel whose only message is in its request", sent: [][]byte{setUp(), callN(frame.RequestChannel, 1, "chan", "a", 1, frame.Complete)}, want: "1: N C"},
	{name: "V: an initial request(n) of 0", sent: [][]byte{setUp(), callN(frame.RequestStream, 1, "ticks", "2", 0, 0), call(frame.RequestResponse, 3, "echo", "a")}, want: "1: ERROR 0x204; 3: N C"},
	{name: "V: a REQUEST_N of 0", sent: [][]byte{setUp(), callN(frame.RequestStream, 1, "ticks", "2", 1, 0), requestN(1, 0)}, want: "1: N ERROR 0x204"},
	{name: "W: the first bit of request(n) means nothing", sent: [][]byte{setUp(), callN(frame.RequestStream, 1, "ticks", "4", 0x80000002, 0), requestN(1, 0x80000001)}, want: "1: N N N"},
	{name: "W: and alone it is 0", sent: [][]byte{setUp(), callN(frame.RequestStream, 1, "ticks", "4", 0x80000000, 0)}, want: "1: ERROR 0x204"},
	{name: "credits add up", sent: [][]byte{setUp(), callN(frame.RequestStream, 1, "ticks", "9", 2, 0), requestN(1, 1), requestN(1, 2)}, want: "1: N N N N N"},
	{name: "X: a second SETUP", sent: [][]byte{setUp(), setUp(), call(frame.RequestResponse, 1, "echo", "a")}, want: "0: ERROR 0x201; 1: N C"},
	{name: "Y: an id in use", sent: [][]byte{setUp(), call(frame.RequestResponse, 1, "never", ""), call(frame.RequestResponse, 1, "echo", "a"), call(frame.RequestResponse, 3, "echo", "a")}, want: "3: N C"},
	{name: "Y: an id that was used", sent: [][]byte{setUp(), call(frame.RequestResponse, 1, "echo", "a"), call(frame.RequestResponse, 1, "echo", "b")}, want: "1: N C N C"},
	{name: "Z: an error of the connection from the client is its end", sent: [][]byte{cat(setUp(), call(frame.RequestResponse, 1, "echo", "a"), failure(0, frame.ConnectionError)), call(frame.RequestResponse, 3, "echo", "a")},
		want: "1: N C", err: "EOF"},
	{name: "Z: one of an application is not", sent: [][]byte{setUp(), failure(0, frame.ApplicationError), call(frame.RequestResponse, 3, "echo", "a")}, want: "3: N C"},
	{name: "AA: a request on stream 0", sent: [][]byte{setUp(), call(frame.RequestResponse, 0, "echo", "a")}, want: "0: ERROR 0x101", err: "it belongs to a stream of its own"},
	{name: "AB: another version", sent: [][]byte{wire(frame.Frame{Type: frame.Setup, Major: 1, Minor: 9, DataMIME: []byte("a/b")})}, want: "0: ERROR 0x1", err: "Unsupported version: 1.9"},
	{name: "AC: a client that wants to resume", sent: [][]byte{wire(frame.Frame{Type: frame.Setup, Flags: frame.Resuming, Major: 1, Token: []byte("tk")})}, want: "0: ERROR 0x2", err: "resume not supported"},
	{name: "AC, AD: one that resumes, in any version", sent: [][]byte{wire(frame.Frame{Type: frame.Resume, Minor: 1, Token: []byte("tk")})}, want: "0: ERROR 0x4", err: "resume not supported"},
	{name: "AD: or in the middle", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.ResumeOK})}, want: "0: ERROR 0x101", err: "not resumed"},
	{name: "AE: a push without its flag", sent: [][]byte{cat(setUp(), wire(frame.Frame{Type: frame.MetadataPush, Metadata: routed("meta.push")}), call(frame.RequestResponse, 1, "counts", ""))}, want: "1: N C"},
	{name: "AE: a lease for a server that asks for nothing", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.Lease, TTL: 1, N: 1}), call(frame.RequestResponse, 1, "echo", "a")}, want: "1: N C"},
	{name: "AF: a client that says that it leaves", sent: [][]byte{setUp(), failure(0, frame.ConnectionClose)}, err: "EOF"},
	{name: "EXT", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.Ext, N: 1}), call(frame.RequestResponse, 1, "echo", "a")}, want: "0: ERROR 0x201; 1: N C"},
	{name: "EXT that may be ignored", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.Ext, Flags: frame.Ignore, N: 1}), call(frame.RequestResponse, 1, "echo", "a")}, want: "1: N C"},
	{name: "no SETUP", sent: [][]byte{call(frame.RequestResponse, 1, "echo", "a")}, want: "0: ERROR 0x1", err: "SETUP or RESUME frame must be received before any others"},
	{name: "another protocol that asks to be ignored", sent: [][]byte{[]byte("GET /inventory.check HTTP/1.1\r\nHost: x\r\n\r\n")}, want: "0: ERROR 0x1", err: "SETUP or RESUME"},
	{name: "another protocol", sent: [][]byte{[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}, want: "0: ERROR 0x1", err: "unknown type 0x15"},
	{name: "a SETUP that breaks off", sent: [][]byte{{0, 0, 12, 0, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0, 0}}, want: "0: ERROR 0x1", err: "shorter than its fields"},
	{name: "CANCEL in the middle of a chain", sent: [][]byte{setUp(), callN(frame.RequestResponse, 1, "echo", "a", 0, frame.Follows), wire(frame.Frame{Type: frame.Cancel, Stream: 1}), payload(1, frame.Next, "b"), call(frame.RequestResponse, 1, "echo", "c")}, want: "1: N C"},
	{name: "a chain beyond the limit", serving: Serving{MaxMessage: 100}, sent: [][]byte{setUp(), callN(frame.RequestResponse, 1, "echo", strings.Repeat("a", 60), 0, frame.Follows), payload(1, frame.Next, strings.Repeat("a", 60)), call(frame.RequestResponse, 3, "echo", "c")},
		want: "1: ERROR 0x204; 3: N C"},
	{name: "a frame beyond the limit", serving: Serving{MaxMessage: 100}, sent: [][]byte{setUp(), call(frame.RequestResponse, 1, "echo", strings.Repeat("a", 200))}, want: "0: ERROR 0x101", err: "the limit is 100"},
	{name: "too many chains", serving: Serving{MaxMessage: 100}, sent: [][]byte{setUp(),
		callN(frame.RequestResponse, 1, "echo", strings.Repeat("a", 60), 0, frame.Follows), callN(frame.RequestResponse, 3, "echo", strings.Repeat("a", 60), 0, frame.Follows),
		callN(frame.RequestResponse, 5, "echo", strings.Repeat("a", 60), 0, frame.Follows), payload(1, frame.Next, "b")}, want: "1: N C; 5: ERROR 0x202"},
	{name: "metadata that is malformed", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.RequestResponse, Stream: 1, Flags: frame.Meta, Metadata: []byte("\x04echo")})}, want: "1: ERROR 0x201"},
	{name: "a one-way call with such", sent: [][]byte{setUp(), wire(frame.Frame{Type: frame.RequestFNF, Stream: 1, Flags: frame.Meta, Metadata: []byte("\x04echo")})}},
}

func TestRules(t *testing.T) {
	for _, tt := range rules {
		t.Run(tt.name, func(t *testing.T) {
			l := newPeerLab(t, tt.serving)
			for _, p := range tt.sent {
				l.feed(0, p)
			}
			if got := inWords(l.words()); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if (l.err != nil) != (tt.err != "") || l.err != nil && !strings.Contains(l.err.Error(), tt.err) {
				t.Errorf("it ends with %v, want %q", l.err, tt.err)
			}
		})
	}
}
