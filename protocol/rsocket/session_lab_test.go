package rsocket

import (
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
)

// A clientLab is our client with a server that is played by hand.
type clientLab struct {
	*prototest.Driver
	t testing.TB
	x explainer
}

// client opens a connection and takes its hello away.
func client(t testing.TB, o protocol.Options) *clientLab {
	l := &clientLab{Driver: prototest.NewDriver(open(o)), t: t}
	t.Cleanup(func() { l.Check(t) })
	return l
}

// plain is a connection over TCP whose SETUP has gone.
func plain(t testing.TB) *clientLab {
	l := client(t, protocol.Options{})
	l.sent()
	return l
}

// call starts a call of texts, and fails the test when it cannot.
func (l *clientLab) call(shape wiregauge.Shape, credit int, texts ...string) *wiregauge.Call {
	l.t.Helper()
	c, err := l.try(&wiregauge.Request{Shape: shape, Credit: credit}, texts...)
	if err != nil {
		l.t.Fatalf("start: %v", err)
	}
	return c
}

// channel starts a channel that stays open.
func (l *clientLab) channel(credit int, texts ...string) *wiregauge.Call {
	l.t.Helper()
	c, err := l.try(&wiregauge.Request{Shape: wiregauge.Bidi, Credit: credit, Open: true}, texts...)
	if err != nil {
		l.t.Fatalf("start: %v", err)
	}
	return c
}

func (l *clientLab) try(r *wiregauge.Request, texts ...string) (*wiregauge.Call, error) {
	for _, m := range texts {
		r.Messages = append(r.Messages, []byte(m))
	}
	r.Keep = true
	c := prototest.NewCall(r)
	c.Explain = true
	return c, l.Start(c)
}

// feed has the server send frames.
func (l *clientLab) feed(frames ...[]byte) { l.Feed(cat(frames...)) }

// sent puts what the client has sent since into words.
func (l *clientLab) sent() string {
	var all []string
	l.x.Explain(l.Take(1<<30), true, func(s string) { all = append(all, s) })
	return strings.Join(all, "; ")
}

// is fails unless c ended so, with these messages.
func (l *clientLab) is(c *wiregauge.Call, outcome wiregauge.Outcome, status int, text string, messages ...string) {
	l.t.Helper()
	var got []string
	for _, m := range l.Events.Messages(c) {
		got = append(got, string(m))
	}
	if c.Outcome != outcome || c.Status != status || !strings.Contains(c.Text, text) {
		l.t.Errorf("outcome %s, status 0x%x, %q; expected %s, 0x%x, %q", c.Outcome, c.Status, c.Text, outcome, status, text)
	}
	if strings.Join(got, "|") != strings.Join(messages, "|") {
		l.t.Errorf("messages %q; expected %q", got, messages)
	}
}

// said fails unless the client has sent just that since.
func (l *clientLab) said(want string) {
	l.t.Helper()
	if got := l.sent(); got != want {
		l.t.Errorf("sent %q; expected %q", got, want)
	}
}

func (l *clientLab) notes() Notes { return l.Session.(*session).Notes() }

func leaseOf(ttl, n uint32) []byte {
	return wire(frame.Frame{Type: frame.Lease, TTL: ttl, N: n})
}

func errorOf(id uint32, code frame.Code, text string) []byte {
	return wire(frame.Frame{Type: frame.Error, Stream: id, N: uint32(code), Data: []byte(text)})
}

func keepAliveOf(flags frame.Flags, data string) []byte {
	return wire(frame.Frame{Type: frame.KeepAlive, Flags: flags, Data: []byte(data)})
}
