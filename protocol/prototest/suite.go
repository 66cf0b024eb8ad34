package prototest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"
	"testing"

	"wiregauge"
)

// A Config is one protocol as the suite meets it.
type Config struct {
	// New makes a client session; Dial a connection to a server that echoes (PipeListener.Dial with a real one behind).
	New  NewSession
	Dial func(t testing.TB) net.Conn
	// Echo makes a call of that shape that sends the bodies, and says which messages must come back. For a shape
	// that does not stream out there is one body.
	Echo func(shape wiregauge.Shape, bodies ...[]byte) (r *wiregauge.Request, want [][]byte)
	// Shapes are those that the protocol claims.
	Shapes []wiregauge.Shape
	// Failures are calls that the server fails.
	Failures []Failure
	// Hang is a call that the server reads and never answers.
	Hang *wiregauge.Request
	// InFlight is how many calls one connection takes at once; 0 means one.
	InFlight int
	// Large is the size of the large body; 0 means 1 MiB.
	Large int
}

// A Failure is a call that is answered with an error.
type Failure struct {
	Name    string
	Request *wiregauge.Request
	Outcome wiregauge.Outcome
	Status  int
	Text    string // that Call.Text must hold; empty for any
}

// Suite tests everything that a lane relies on. Each part is a subtest with a name of its own.
func Suite(t *testing.T, config Config) {
	if config.Large == 0 {
		config.Large = 1 << 20
	}
	if config.InFlight == 0 {
		config.InFlight = 1
	}
	for _, shape := range config.Shapes {
		t.Run("echo "+shape.String(), func(t *testing.T) { config.echo(t, shape) })
	}
	for _, shape := range config.Shapes {
		if shape.StreamsIn() {
			t.Run("credit "+shape.String(), func(t *testing.T) { config.credit(t, shape) })
		}
	}
	t.Run("slow peer", config.slowPeer)
	t.Run("many calls", config.manyCalls)
	for _, f := range config.Failures {
		t.Run("failure "+f.Name, func(t *testing.T) { config.failure(t, f) })
	}
	if config.Hang != nil {
		t.Run("cancel in flight", config.cancel)
		t.Run("end in flight", config.endInFlight)
		if config.ticking(t) {
			t.Run("time passes", config.timePasses)
			t.Run("a peer falls silent", config.silentPeer)
		}
	}
	for _, shape := range config.Shapes {
		t.Run("peer dies at every byte, "+shape.String(), func(t *testing.T) { config.dies(t, shape) })
		t.Run("input cut at every byte, "+shape.String(), func(t *testing.T) { config.cuts(t, shape) })
	}
}

// Pattern is a body of n bytes in which every place looks different, and without line feeds.
func Pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = "0123456789abcdefghijklmnopqrstuvwxyz-+"[(i*7+i/1000)%38]
	}
	return p
}

// Lines turns r into a server stream over HTTP whose server answers with body on three lines, each a message unless it
// is empty.
func Lines(r *wiregauge.Request, body []byte) (*wiregauge.Request, [][]byte) {
	r.Method, r.Shape = "POST /lines", wiregauge.ServerStream
	if len(body) == 0 {
		return r, nil
	}
	return r, [][]byte{body, body, body}
}

// bodies lists what echo sends, by name.
func (config Config) bodies(shape wiregauge.Shape) map[string][][]byte {
	sets := map[string][][]byte{
		"empty":     {{}},
		"one byte":  {{'x'}},
		"1 kB":      {Pattern(1000)},
		"a window":  {Pattern(64 << 10)},
		"one large": {Pattern(config.Large)},
	}
	if shape.StreamsOut() {
		sets["none"] = nil
		sets["many"] = [][]byte{{}, {'a'}, Pattern(1000), {}, Pattern(70_000), {'z'}}
	}
	return sets
}

func (config Config) echo(t *testing.T, shape wiregauge.Shape) {
	for name, bodies := range config.bodies(shape) {
		r, want := config.Echo(shape, bodies...)
		keep := *r
		keep.Keep = true
		counted := *r
		counted.Keep = false
		t.Run(name, func(t *testing.T) {
			l := NewLane(t, config.Dial(t), config.New)
			c := l.Do(&keep)
			l.checkOK(t, c, want)
			c = NewCall(&counted)
			if !l.Events.SaidClosing() {
				l.Start(c)
				l.Wait(c)
				l.checkCount(t, c, want)
			}
		})
		if shape.StreamsOut() {
			t.Run(name+", sent live", func(t *testing.T) { config.live(t, keep, want) })
		}
	}
}

// live sends the messages through Send instead of with the request.
func (config Config) live(t *testing.T, r wiregauge.Request, want [][]byte) {
	bodies := r.Messages
	r.Messages, r.Open = nil, true
	l := NewLane(t, config.Dial(t), config.New)
	c := NewCall(&r)
	l.Start(c)
	for _, b := range bodies {
		l.Send(c, b, false)
	}
	l.Send(c, nil, true)
	l.Wait(c)
	l.checkOK(t, c, want)
}

// checkOK fails unless c came back OK with these messages.
func (l *Lane) checkOK(t *testing.T, c *wiregauge.Call, want [][]byte) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	got := l.Events.Messages(c)
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("got %d messages (%s), expected %d (%s)", len(got), sizes(got), len(want), sizes(want))
	}
	checkDone(t, c, len(want))
}

// checkCount fails unless c came back OK with that many messages, none of them kept.
func (l *Lane) checkCount(t *testing.T, c *wiregauge.Call, want [][]byte) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.Events.Count(Message, c); n != 0 {
		t.Errorf("%d messages of a call that does not keep", n)
	}
	checkDone(t, c, len(want))
}

func checkDone(t *testing.T, c *wiregauge.Call, received int) {
	t.Helper()
	if c.Outcome != wiregauge.OK {
		t.Errorf("outcome %s, status %d, %s; expected ok", c.Outcome, c.Status, c.Text)
	}
	if c.Received != received {
		t.Errorf("received %d messages, expected %d", c.Received, received)
	}
}

func sizes(bodies [][]byte) string {
	var s []int
	for _, b := range bodies {
		s = append(s, len(b))
	}
	return fmt.Sprint("bytes: ", s)
}

// credit opens a stream with room for one message and grants the rest one by one.
func (config Config) credit(t *testing.T, shape wiregauge.Shape) {
	r, want := config.Echo(shape, Pattern(1000))
	credited := *r
	credited.Credit = 1
	l := NewLane(t, config.Dial(t), config.New)
	c := NewCall(&credited)
	l.Start(c)
	for i := range want {
		l.Until("a message that was granted", func() bool {
			return l.Events.Ended(c) || l.Events.Count(Message, c) > i
		})
		l.Grant(c, 1)
	}
	l.Wait(c)
	l.checkOK(t, c, want)
}

// slowPeer exchanges large bodies with a peer that reads little at a time, InFlight calls at once.
func (config Config) slowPeer(t *testing.T) {
	for _, shape := range config.Shapes {
		r, want := config.Echo(shape, Pattern(config.Large))
		r.Keep = true
		l := NewLane(t, slowConn{config.Dial(t)}, config.New)
		calls := make([]*wiregauge.Call, min(config.InFlight, 4))
		for i := range calls {
			calls[i] = NewCall(r)
			l.Start(calls[i])
		}
		for _, c := range calls {
			l.Wait(c)
			l.checkOK(t, c, want)
		}
	}
}

// manyCalls makes 300 calls on one connection, as many at once as it takes, each with a body of its own.
func (config Config) manyCalls(t *testing.T) {
	l := NewLane(t, config.Dial(t), config.New)
	var calls []*wiregauge.Call
	var wants [][][]byte
	for i := range 300 {
		r, want := config.Echo(wiregauge.Unary, Pattern(i))
		r.Keep = true
		r.Index = i % 3
		if i >= config.InFlight {
			l.Wait(calls[i-config.InFlight])
		}
		calls, wants = append(calls, NewCall(r)), append(wants, want)
		l.Start(calls[i])
	}
	for i, c := range calls {
		l.Wait(c)
		l.checkOK(t, c, wants[i])
	}
}

func (config Config) failure(t *testing.T, f Failure) {
	l := NewLane(t, config.Dial(t), config.New)
	c := NewCall(f.Request)
	c.Explain = true
	l.Start(c)
	l.Wait(c)
	if c.Outcome != f.Outcome || c.Status != f.Status {
		t.Errorf("outcome %s, status %d (%s); expected %s, %d", c.Outcome, c.Status, c.Text, f.Outcome, f.Status)
	}
	if !bytes.Contains([]byte(c.Text), []byte(f.Text)) {
		t.Errorf("text %q; expected it to hold %q", c.Text, f.Text)
	}
	plain := l.again(t, config, NewCall(f.Request))
	if plain.Outcome != f.Outcome || plain.Text != "" {
		t.Errorf("without Explain: outcome %s, text %q; expected %s and no text", plain.Outcome, plain.Text, f.Outcome)
	}
}

// again makes one more call, on the same connection if it still takes one.
func (l *Lane) again(t *testing.T, config Config, c *wiregauge.Call) *wiregauge.Call {
	l.mu.Lock()
	spent := l.closed || l.Events.SaidClosing()
	l.mu.Unlock()
	if spent {
		l = NewLane(t, config.Dial(t), config.New)
	}
	l.Start(c)
	l.Wait(c)
	return c
}

// cancel abandons a call that hangs. What a deadline does to a session is the same.
func (config Config) cancel(t *testing.T) {
	l := NewLane(t, config.Dial(t), config.New)
	c := NewCall(config.Hang)
	l.Start(c)
	spent := l.Cancel(c)
	if !spent {
		r, want := config.Echo(wiregauge.Unary, Pattern(100))
		r.Keep = true
		l.checkOK(t, l.Do(r), want)
	}
	l.Close()
	if n := l.Events.Count(Done, c); n != 0 {
		t.Errorf("a cancelled call fired done %d times", n)
	}
}

// endInFlight ends the connection under calls that hang.
func (config Config) endInFlight(t *testing.T) {
	for _, end := range ends {
		t.Run(end.name, func(t *testing.T) {
			l := NewLane(t, config.Dial(t), config.New)
			calls := make([]*wiregauge.Call, config.InFlight)
			for i := range calls {
				calls[i] = NewCall(config.Hang)
				calls[i].Explain = true
				l.Start(calls[i])
			}
			l.end(end.cause)
			for i, c := range calls {
				if !slices.Contains(end.outcomes, c.Outcome) {
					t.Errorf("call %d ended as %s; expected one of %v", i, c.Outcome, end.outcomes)
				}
			}
		})
	}
}

// ends are the ways in which a connection ends, and what its open calls may become.
var ends = []struct {
	name     string
	cause    error
	outcomes []wiregauge.Outcome
}{
	{"closed", io.EOF, []wiregauge.Outcome{wiregauge.Closed, wiregauge.Unprocessed, wiregauge.NoStatus}},
	{"closed without a cause", nil, []wiregauge.Outcome{wiregauge.Closed, wiregauge.Unprocessed, wiregauge.NoStatus}},
	{"cut inside TLS", io.ErrUnexpectedEOF, []wiregauge.Outcome{wiregauge.Closed, wiregauge.Unprocessed}},
	{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, []wiregauge.Outcome{wiregauge.Reset, wiregauge.Unprocessed}},
	{"reset while writing", &net.OpError{Op: "write", Err: syscall.EPIPE}, []wiregauge.Outcome{wiregauge.Reset, wiregauge.Unprocessed}},
	{"another fault", errors.New("no route to host"), []wiregauge.Outcome{wiregauge.Closed, wiregauge.Unprocessed}},
}
