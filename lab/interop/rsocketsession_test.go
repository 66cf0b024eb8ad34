//go:build external

package interop

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/internal/testcert"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket"
	"wiregauge/protocol/rsocket/frame"
)

// A session test is our client's session against one listener of one server that we did not write.
type sessionTest struct {
	t      *testing.T
	server stack
	at     string
	setup  protocol.Setup
	secure bool
}

func (s sessionTest) open() *prototest.Lane {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.at)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.secure {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	return prototest.NewLane(s.t, conn, func(ev wiregauge.Events) wiregauge.Session {
		return rsocket.New(protocol.Options{Authority: s.at, Setup: s.setup}, ev)
	})
}

// does makes a call and says how it ended.
func (s sessionTest) does(l *prototest.Lane, shape wiregauge.Shape, route string, bodies ...[]byte) (c *wiregauge.Call, got [][]byte) {
	s.t.Helper()
	r := &wiregauge.Request{Method: route, Shape: shape, Messages: bodies, Keep: true}
	c = prototest.NewCall(r)
	c.Explain = true
	l.Start(c)
	l.Wait(c)
	l.Until("the messages", func() bool { got = l.Events.Messages(c); return true })
	return c, got
}

func (s sessionTest) ok(what string, c *wiregauge.Call, got [][]byte, want ...[]byte) {
	s.t.Helper()
	if c.Outcome != wiregauge.OK || len(got) != len(want) {
		s.t.Errorf("%s: %s 0x%x %q with %d messages; expected ok with %d", what, c.Outcome, c.Status, c.Text, len(got), len(want))
		return
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			s.t.Errorf("%s: message %d differs: %d bytes, expected %d", what, i, len(got[i]), len(want[i]))
			return
		}
	}
}

func (s sessionTest) failed(what string, c *wiregauge.Call, o wiregauge.Outcome, code frame.Code, text string) {
	s.t.Helper()
	if c.Outcome != o || c.Status != int(code) || !strings.Contains(c.Text, text) {
		s.t.Errorf("%s: %s 0x%x %q; expected %s 0x%x %q", what, c.Outcome, c.Status, c.Text, o, uint32(code), text)
	}
}

// series is the pattern of the peers: byte i is i modulo 251.
func series(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i % 251)
	}
	return p
}

func (s sessionTest) requests() {
	l := s.open()
	for _, size := range []int{1, 100, 5000, 70_000, 1 << 20, 3 << 20} {
		c, got := s.does(l, wiregauge.Unary, "echo", series(size))
		s.ok(fmt.Sprintf("echo of %d bytes", size), c, got, series(size))
	}
	c, got := s.does(l, wiregauge.Unary, "big", []byte("200000"))
	s.ok("an answer of 200,000 bytes", c, got, series(200_000))
	c, _ = s.does(l, wiregauge.Unary, "fail", []byte("x"))
	s.failed("fail", c, wiregauge.Failed, frame.ApplicationError, "planted")
	c, got = s.does(l, wiregauge.Unary, "empty", []byte("x"))
	if strings.HasPrefix(s.server.name, "npm-0") {
		s.failed("empty", c, wiregauge.Failed, frame.ApplicationError, "")
	} else {
		s.ok("empty", c, got)
	}
	for code, o := range map[frame.Code]wiregauge.Outcome{frame.Rejected: wiregauge.Refused, frame.Canceled: wiregauge.Reset, frame.Invalid: wiregauge.Failed, 0x301: wiregauge.Failed} {
		if strings.HasPrefix(s.server.name, "npm") || s.server.name == "python" && code == 0x301 {
			code, o = frame.ApplicationError, wiregauge.Failed
		}
		c, _ = s.does(l, wiregauge.Unary, "err", []byte(fmt.Sprintf("%x", uint32(code))))
		s.failed("err", c, o, code, "planted")
	}
}

func (s sessionTest) streams() {
	l := s.open()
	item := series(300)
	for _, credit := range []int{0, 1, 7} {
		r := &wiregauge.Request{Method: "items", Shape: wiregauge.ServerStream, Messages: [][]byte{[]byte("50 300")}, Keep: true, Credit: credit}
		c := prototest.NewCall(r)
		c.Explain = true
		l.Start(c)
		for seen := 0; credit > 0 && seen < 50; {
			l.Until("an item", func() bool { return l.Events.Ended(c) || l.Events.Count(prototest.Message, c) > seen })
			l.Grant(c, 1)
			seen++
		}
		l.Wait(c)
		var got [][]byte
		l.Until("the items", func() bool { got = l.Events.Messages(c); return true })
		want := make([][]byte, 50)
		for i := range want {
			want[i] = item
		}
		s.ok(fmt.Sprintf("items with credit %d", credit), c, got, want...)
	}
	c, got := s.does(l, wiregauge.ServerStream, "items", []byte("3 10 !"))
	s.failed("a stream that fails", c, wiregauge.Failed, frame.ApplicationError, "")
	if len(got) != 3 {
		s.t.Errorf("%d items before the failure; expected 3", len(got))
	}
}

func (s sessionTest) channels() {
	l := s.open()
	for _, n := range []int{1, 2, 40} {
		bodies := make([][]byte, n)
		for i := range bodies {
			bodies[i] = series(i * 50)
		}
		bodies[0] = []byte("first")
		c, got := s.does(l, wiregauge.Bidi, "chan", bodies...)
		s.ok(fmt.Sprintf("a channel of %d", n), c, got, bodies...)
	}
	r := &wiregauge.Request{Method: "chan", Shape: wiregauge.Bidi, Open: true, Credit: 1}
	c := prototest.NewCall(r)
	l.Start(c)
	for i := range 10 {
		l.Send(c, series(i+1), false)
		l.Until("its echo", func() bool { return l.Events.Ended(c) || l.Events.Count(prototest.Message, c) > i })
		l.Grant(c, 1)
	}
	l.Send(c, nil, true)
	l.Wait(c)
	var got [][]byte
	l.Until("the messages", func() bool { got = l.Events.Messages(c); return true })
	want := make([][]byte, 10)
	for i := range want {
		want[i] = series(i + 1)
	}
	s.ok("a channel in turns", c, got, want...)
}

func (s sessionTest) counts(l *prototest.Lane) (notes, pushes, cancels int) {
	c, got := s.does(l, wiregauge.Unary, "counts", []byte("x"))
	if len(got) != 1 {
		s.t.Fatalf("counts: %s %q", c.Outcome, c.Text)
	}
	fmt.Sscanf(string(got[0]), "notes=%d pushes=%d cancels=%d", &notes, &pushes, &cancels)
	return notes, pushes, cancels
}

func (s sessionTest) oneWay() {
	l := s.open()
	notes, pushes, cancels := s.counts(l)
	hang := prototest.NewCall(&wiregauge.Request{Method: "never", Messages: [][]byte{{'x'}}})
	l.Start(hang)
	for range 5 {
		c, _ := s.does(l, wiregauge.OneWay, "note", []byte("n"))
		s.ok("a note", c, nil)
	}
	pushed := 0
	if s.server.name != "npm-alpha.3" { // a push ends its connections
		c, _ := s.does(l, wiregauge.OneWay, "push")
		s.ok("a push", c, nil)
		pushed = 1
	}
	s.does(l, wiregauge.Unary, "echo", []byte("behind them"))
	l.Cancel(hang)
	for try := 0; ; try++ {
		n, p, c := s.counts(l)
		if n-notes == 5 && p-pushes == pushed && c-cancels == 1 {
			return
		}
		if try == 2000 {
			s.t.Fatalf("%d notes, %d pushes and %d cancellations were counted", n-notes, p-pushes, c-cancels)
		}
	}
}

func (s sessionTest) burst() {
	l := s.open()
	calls := make([]*wiregauge.Call, 2000)
	r := &wiregauge.Request{Method: "echo", Messages: [][]byte{series(100)}}
	for i := range calls {
		calls[i] = prototest.NewCall(r)
		l.Start(calls[i])
	}
	for _, c := range calls {
		if l.Wait(c); c.Outcome != wiregauge.OK || c.Received != 1 {
			s.t.Fatalf("%s, %d messages", c.Outcome, c.Received)
		}
	}
}

// certified are the words that give a Spring server a certificate.
func certified(t *testing.T) []string {
	t.Helper()
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := ca.Issue(testcert.Request{Names: []string{"localhost", "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile, err := testcert.WritePEM(t.TempDir(), "server", cert)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--certificate=" + certFile, "--key=" + keyFile}
}

// Our client speaks to every server of lab/peers/rsocket, on all of its listeners.
func TestOurClientAgainstServers(t *testing.T) {
	for _, server := range rsocketStacks {
		if server.server == nil {
			continue
		}
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			listeners := []string{"tcp", "ws"}
			switch {
			case strings.HasPrefix(server.name, "spring"):
				listeners = append(certified(t), "tcp", "ws", "tls", "wss", "frag", "fragws")
			case server.name == "python":
				listeners = append(listeners, "frag", "fragws")
			}
			for name, at := range server.serve(t, listeners...) {
				s := sessionTest{server: server, at: at, secure: name == "tls" || name == "wss"}
				s.setup = protocol.Setup{Await: true, Web: strings.Contains(name, "ws"), DataType: "application/octet-stream"}
				for kind, fragment := range map[string]int{"": 0, ", in fragments": 700} {
					s.setup.Fragment = fragment
					for part, test := range map[string]func(sessionTest){"requests": sessionTest.requests, "streams": sessionTest.streams,
						"channels": sessionTest.channels, "one way": sessionTest.oneWay, "burst": sessionTest.burst} {
						if server.name == "python" && strings.HasPrefix(name, "frag") && (part == "streams" || part == "channels") {
							continue // it mixes the fragments of one stream's messages
						}
						t.Run(name+" "+part+kind, func(t *testing.T) {
							s := s
							s.t = t
							test(s)
						})
					}
				}
			}
		})
	}
}
