package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/wgpb"
	"wiregauge/protocol/rsocket/frame"
)

// messages reads n messages of a stream and says whether it has ended with the last.
func (p *rawPeer) messages(id uint32, n int) (all []string, ended bool) {
	p.t.Helper()
	for len(all) < n || n == 0 {
		f, err := p.next()
		if err != nil {
			p.t.Fatal(err)
		}
		if f.Stream != id || f.Type != frame.Payload {
			continue
		}
		if f.Flags&frame.Next != 0 {
			all = append(all, string(f.Data))
		}
		if f.Flags&frame.Complete != 0 {
			return all, true
		}
	}
	return all, false
}

// A stream sends what was asked for and no more; what was not used is told.
func TestStreamsKeepToTheirCredit(t *testing.T) {
	for _, protocol := range rsocketNames {
		t.Run(protocol, func(t *testing.T) {
			s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{protocol}})
			p := connect(t, s, protocol, "application/json", 0)
			p.send(request(frame.RequestStream, 101, "echo.stream", []byte(`{"payload":"aGk=","count":7}`), 3))
			got, ended := p.messages(101, 3)
			// What stands between shows that the stream waits: its answer comes, and no message of the stream before it.
			if answer, failure := p.call("echo", []byte("between")); string(answer) != "between" || ended {
				t.Errorf("got %q, %s; ended %t", answer, failure, ended)
			}
			if st := streamsOf(t, s, "echo.stream"); st.Messages != 3 || st.Held != 1 || st.Ended != 0 {
				t.Errorf("waiting: %+v", st)
			}
			p.send(frame.Frame{Type: frame.RequestN, Stream: 101, N: 10})
			rest, ended := p.messages(101, 0)
			if got = append(got, rest...); len(got) != 7 || got[6] != `{"payload":"aGk="}` || !ended {
				t.Errorf("got %q, ended %t", got, ended)
			}
			want := StreamStats{Opened: 1, Ended: 1, Messages: 7, Asked: 13, Unused: 6, Held: 1}
			if st := streamsOf(t, s, "echo.stream"); st != want {
				t.Errorf("in the end %+v\nwant %+v", st, want)
			}
		})
	}
}

func streamsOf(t *testing.T, s *Server, route string) StreamStats {
	t.Helper()
	st := s.Stats().Methods["rsocket "+route].Streams
	if st == nil {
		t.Fatalf("nothing is told of streams: %+v", s.Stats().Methods)
	}
	return *st
}

// A stream without end, to a client that asks for all of it, leaves the connection usable and ends with CANCEL.
func TestEndlessStream(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "application/json", 0)
	p.send(request(frame.RequestStream, 101, "echo.stream", []byte(`{"payload":"aGk=","count":-1}`), frame.MaxN))
	p.messages(101, 1000)
	if got, failure := p.call("echo", []byte("beside")); string(got) != "beside" {
		t.Errorf("a call beside it: %q %s", got, failure)
	}
	p.send(frame.Frame{Type: frame.Cancel, Stream: 101}, frame.Frame{Type: frame.KeepAlive, Flags: frame.Respond, Data: []byte("k")})
	for {
		f, err := p.next()
		if err != nil {
			t.Fatal(err)
		}
		if f.Type == frame.KeepAlive && string(f.Data) == "k" {
			break
		}
	}
	if st := streamsOf(t, s, "echo.stream"); st.Ended != 1 || st.Canceled != 1 || st.Unbounded != 1 || st.Messages < 1000 || st.Held != 0 {
		t.Errorf("%+v", st)
	}
}

// A channel sends every message back and lets its client send window messages ahead of the answers.
func TestEchoChannel(t *testing.T) {
	for _, protocol := range []string{"rsocket+tcp", "rsocket+wss"} {
		s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{protocol}})
		p := connect(t, s, protocol, "text/plain", 0)
		p.send(request(frame.RequestChannel, 101, "echo.channel", []byte("0"), 1))
		f, err := p.next()
		if err != nil || f.Type != frame.RequestN || f.N != window {
			t.Fatalf("got %v %d, %v; want REQUEST_N %d first", f.Type, f.N, err, window)
		}
		for i := 1; i <= window; i++ {
			p.send(frame.Frame{Type: frame.Payload, Stream: 101, Flags: frame.Next, Data: fmt.Append(nil, i)})
		}
		if got, _ := p.messages(101, 1); got[0] != "0" {
			t.Errorf("got %q", got)
		}
		p.send(frame.Frame{Type: frame.RequestN, Stream: 101, N: frame.MaxN})
		got, _ := p.messages(101, window)
		if len(got) != window || got[window-1] != fmt.Sprint(window) {
			t.Errorf("got %q", got)
		}
		p.send(frame.Frame{Type: frame.Payload, Stream: 101, Flags: frame.Next | frame.Complete, Data: bytes.Repeat([]byte("x"), 100_000)})
		got, ended := p.messages(101, 0)
		if len(got) != 1 || len(got[0]) != 100_000 || !ended {
			t.Errorf("at the end %d messages, ended %t", len(got), ended)
		}
	}
}

// A client that sends more than it may is told so, and its connection goes on.
func TestEchoChannelBeyondItsCredit(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "text/plain", 0)
	frames := []frame.Frame{request(frame.RequestChannel, 101, "echo.channel", []byte("0"), 1)}
	p.send(frames...)
	p.next()
	for range window + 1 {
		p.send(frame.Frame{Type: frame.Payload, Stream: 101, Flags: frame.Next})
	}
	p.messages(101, 1)
	if _, failure := p.answer(101); !strings.HasPrefix(failure, "0x203 ") {
		t.Errorf("got %q", failure)
	}
	if got, _ := p.call("echo", []byte("on")); string(got) != "on" {
		t.Errorf("after it %q", got)
	}
}

// steps is a clock that moves by what is slept, when the test lets it.
type steps struct{ let chan struct{} }

func (c *steps) Now() time.Duration { return 0 }
func (c *steps) Sleep(ctx context.Context, _ time.Duration) error {
	select {
	case <-c.let:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A ticker ticks whether its client keeps up or not: who asks late gets the newest number, and the others are counted.
func TestTicker(t *testing.T) {
	for _, row := range []struct{ mime, question, want string }{
		{"text/plain", "5", "1 2 5"},
		{"application/json", `{"everyMs":5}`, `{"number":1} {"number":2} {"number":5}`},
	} {
		clock := &steps{let: make(chan struct{})}
		s := serve(t, ServeConfig{Services: []string{"ticker"}, Protocols: []string{"rsocket+tcp"}, Clock: clock})
		p := connect(t, s, "rsocket+tcp", row.mime, 0)
		p.send(request(frame.RequestStream, 101, "ticker", []byte(row.question), 2))
		clock.let <- struct{}{}
		clock.let <- struct{}{}
		got, _ := p.messages(101, 2)
		for range 3 {
			clock.let <- struct{}{}
		}
		until(t, func() bool { return streamsOf(t, s, "ticker").Skipped == 2 })
		p.send(frame.Frame{Type: frame.RequestN, Stream: 101, N: 1})
		last, _ := p.messages(101, 1)
		if words := strings.Join(append(got, last...), " "); words != row.want {
			t.Errorf("%s: got %s, want %s", row.mime, words, row.want)
		}
		p.send(frame.Frame{Type: frame.Cancel, Stream: 101})
		until(t, func() bool { return streamsOf(t, s, "ticker").Ended == 1 })
		want := StreamStats{Opened: 1, Ended: 1, Canceled: 1, Messages: 3, Asked: 3, Held: 1, Skipped: 2}
		if st := streamsOf(t, s, "ticker"); st != want {
			t.Errorf("%+v\nwant %+v", st, want)
		}
	}
}

// A ticker with a count ends.
func TestTickerEnds(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"ticker"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "application/cbor", 0)
	body, err := cborCodec.marshal(tickQuestion{EveryMS: 1, Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	p.send(request(frame.RequestStream, 101, "wg.v1.Ticker/Ticks", body, frame.MaxN))
	if got, ended := p.messages(101, 0); len(got) != 3 || !ended {
		t.Errorf("got %q, ended %t", got, ended)
	}
}

func TestTickerOverGRPC(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"ticker"}, Protocols: []string{"grpc"}})
	stream, err := wgpb.NewTickerClient(dialRPC(t, s, "grpc")).Ticks(t.Context(), &wgpb.TickRequest{EveryMs: 1, Count: 3})
	for want := int64(1); err == nil; want++ {
		var tick *wgpb.Tick
		if tick, err = stream.Recv(); err == nil && tick.Number != want {
			t.Errorf("tick %d comes as %d", want, tick.Number)
		}
		if errors.Is(err, io.EOF) && want != 4 {
			t.Errorf("%d ticks, want 3", want-1)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// A delay planted for a stream comes before its first message; a failure instead of it.
func TestPlantedStreams(t *testing.T) {
	clock := &asked{}
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}, Clock: clock})
	p := connect(t, s, "rsocket+tcp", "application/json", 0)
	p.send(request(frame.RequestStream, 101, "echo.stream", []byte(`{"count":2}`), 9, plantMIME, "delay=5ms,size=100"))
	got, _ := p.messages(101, 0)
	if len(got) != 2 || len(got[0]) < 130 {
		t.Errorf("got %q", got)
	}
	if slept := clock.take(); len(slept) != 1 || slept[0] != 5*time.Millisecond {
		t.Errorf("slept %v", slept)
	}
	p.send(request(frame.RequestChannel, 3, "echo.channel", []byte(`{}`), 9, plantMIME, "status=500"))
	if _, failure := p.answer(3); failure != "0x201 planted" {
		t.Errorf("got %q", failure)
	}
}

// While a long answer is on its way to a client that is slow to read it, keep-alives are answered and calls go on.
func TestALongAnswerHoldsUpNobody(t *testing.T) {
	for _, protocol := range []string{"rsocket+tcp", "rsocket+wss"} {
		s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{protocol}})
		p := connect(t, s, protocol, "text/plain", 0)
		const size = 32 << 20 // more than the sockets hold
		p.send(request(frame.RequestResponse, 101, "echo", []byte("x"), 0, plantMIME, fmt.Sprintf("size=%d", size-1)))
		until(t, func() bool { return s.Stats().Answered == 1 })
		p.send(frame.Frame{Type: frame.KeepAlive, Flags: frame.Respond, Data: []byte("k")}, request(frame.RequestResponse, 103, "echo", []byte("y"), 0))
		until(t, func() bool { return s.Stats().Answered == 2 })
		got, order := 0, ""
		for got < size {
			f, err := p.next()
			switch {
			case err != nil:
				t.Fatalf("%s: %v after %d bytes", protocol, err, got)
			case f.Type == frame.KeepAlive:
				order += "k"
			case f.Stream == 103:
				order += "y"
			default:
				got += len(f.Data)
			}
		}
		if order != "ky" || got != size {
			t.Errorf("%s: %d bytes, and before their end %q", protocol, got, order)
		}
	}
}

// Long messages go both ways at once.
func TestLongMessagesBothWays(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "text/plain", 0)
	const size, calls = 4 << 20, 8
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range uint32(calls) {
			p.send(request(frame.RequestResponse, 101+2*i, "echo", make([]byte, size), 0))
		}
	}()
	got := map[uint32]int{}
	for total := 0; total < size*calls; {
		f, err := p.next()
		if err != nil {
			t.Fatal(err)
		}
		total += len(f.Data)
		got[f.Stream] += len(f.Data)
	}
	<-done
	for id, n := range got {
		if n != size {
			t.Errorf("call %d: %d bytes", id, n)
		}
	}
}

// An answer of no bytes is one, planted or not.
func TestEmptyAnswers(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "text/plain", 0)
	for _, plant := range []string{"", "delay=1ns"} {
		if got, failure := p.call("echo", nil, plantMIME, plant); len(got) != 0 || failure != "" {
			t.Errorf("with the plant %q: got %q, %s", plant, got, failure)
		}
	}
}

// A server that closes ends calls that hang, streams without end that nobody reads, and tickers.
func TestCloseEndsStreams(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo", "ticker"}, Protocols: []string{"rsocket+tls"}})
	p := connect(t, s, "rsocket+tls", jsonType, 0)
	p.send(request(frame.RequestStream, 101, "echo.stream", []byte(`{"payload":"aGk=","count":-1}`), frame.MaxN),
		request(frame.RequestStream, 103, "ticker", []byte(`{"everyMs":1}`), 1),
		request(frame.RequestResponse, 105, "echo", nil, 0, plantMIME, "hang"))
	until(t, func() bool { return s.Stats().Received == 3 })
	s.Close()
	if st := s.Stats(); st.Answered+st.Failed != 3 || st.OpenConnections != 0 {
		t.Errorf("answered %d, failed %d, %d connections are open", st.Answered, st.Failed, st.OpenConnections)
	}
}
