package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"wiregauge"
)

func exchange(t *testing.T, d Dialer, open func(wiregauge.Events) wiregauge.Session) *Exchange {
	t.Helper()
	x, err := NewExchange(t.Context(), dial(t, d), open)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

func frame(s string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// piped is a Dialer to a peer in memory.
func piped(handle func(net.Conn)) Dialer {
	return Dialer{Connect: func(context.Context) (net.Conn, error) {
		a, b := net.Pipe()
		go handle(b)
		return a, nil
	}}
}

func TestManyCallsAtOnce(t *testing.T) {
	x := exchange(t, Dialer{Network: "null"}, func(ev wiregauge.Events) wiregauge.Session { return &frames{ev: ev, most: 3} })
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			want := randomBytes(i * 100)
			c, same := call(want), false
			if err := x.Do(t.Context(), c, Handler{Message: func(b []byte) { same = bytes.Equal(b, want) }}); err != nil {
				t.Error(err)
			}
			if c.Outcome != wiregauge.OK || !same {
				t.Errorf("call %d: %v, the same: %v", i, c.Outcome, same)
			}
		})
	}
	wg.Wait()
}

// Calls wait for the peer's hello, and its absence is an error.
func TestHello(t *testing.T) {
	greeted := func(ev wiregauge.Events) wiregauge.Session { return &frames{ev: ev, most: 1, hello: true} }
	x := exchange(t, piped(func(c net.Conn) { _, _ = c.Write(frame("")); echoBack(c) }), greeted)
	c := call([]byte("x"))
	if err := x.Do(t.Context(), c, Handler{}); err != nil || c.Outcome != wiregauge.OK {
		t.Errorf("%v, %v", err, c.Outcome)
	}
	for name, handle := range map[string]func(net.Conn){
		"it closes":      func(c net.Conn) { _ = c.Close() },
		"it talks trash": func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1")) },
	} {
		if _, err := NewExchange(t.Context(), dial(t, piped(handle)), greeted); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewExchange(ctx, dial(t, piped(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })), greeted); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent peer: %v", err)
	}
}

func TestEndOfTheContext(t *testing.T) {
	silent := piped(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	<-ctx.Done()
	x := exchange(t, silent, newFrames)
	c := call([]byte("x"))
	if err := x.Do(ctx, c, Handler{}); err != nil || c.Outcome != wiregauge.Timeout {
		t.Errorf("a deadline: %v, %v", err, c.Outcome)
	}
	x = exchange(t, silent, newFrames)
	ctx, cancel = context.WithCancel(t.Context())
	c = call([]byte("x"))
	if err := x.Do(ctx, c, Handler{Sent: cancel}); err != nil || c.Outcome != wiregauge.Canceled {
		t.Errorf("cancelled: %v, %v", err, c.Outcome)
	}
	x = exchange(t, silent, newFrames)
	c = call([]byte("x"))
	if err := x.Start(t.Context(), c, Handler{}); err != nil {
		t.Fatal(err)
	}
	x.Cancel(c)
	if err := x.Wait(t.Context(), c); err != nil || c.Outcome != wiregauge.Canceled {
		t.Errorf("Cancel: %v, %v", err, c.Outcome)
	}
}

// A call that waits for its place leaves the queue with its context.
func TestWaitForAPlaceEnds(t *testing.T) {
	x := exchange(t, piped(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), func(ev wiregauge.Events) wiregauge.Session {
		return &frames{ev: ev, most: 1}
	})
	if err := x.Start(t.Context(), call([]byte("x")), Handler{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := call([]byte("y"))
	if err := x.Start(ctx, c, Handler{}); !errors.Is(err, context.Canceled) || c.Outcome != wiregauge.Canceled {
		t.Errorf("%v, %v", err, c.Outcome)
	}
}

func TestThePeerEnds(t *testing.T) {
	x := exchange(t, piped(func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 5))
		_ = c.Close()
	}), newFrames)
	c := call([]byte("x"))
	if err := x.Do(t.Context(), c, Handler{}); err != nil || c.Outcome != wiregauge.Closed {
		t.Errorf("%v, %v", err, c.Outcome)
	}
	c = call([]byte("x"))
	if err := x.Do(t.Context(), c, Handler{}); !errors.Is(err, ErrEnded) || c.Outcome != wiregauge.Closed {
		t.Errorf("afterwards: %v, %v", err, c.Outcome)
	}
}

// A peer that says goodbye finishes open calls and takes no more.
func TestClosing(t *testing.T) {
	x := exchange(t, piped(func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 5))
		_, _ = c.Write(append(frame("bye"), frame("answer")...))
		_, _ = io.Copy(io.Discard, c)
	}), newFrames)
	c, told := call([]byte("x")), false
	if err := x.Do(t.Context(), c, Handler{Closing: func() { told = true }}); err != nil || c.Outcome != wiregauge.OK || !told {
		t.Errorf("%v, %v, told: %v", err, c.Outcome, told)
	}
	c = call([]byte("x"))
	if err := x.Do(t.Context(), c, Handler{}); !errors.Is(err, ErrEnded) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAnUnspeakableRequest(t *testing.T) {
	x := exchange(t, Dialer{Network: "null"}, newFrames)
	c := call(nil)
	c.Method = "unspeakable"
	if err := x.Do(t.Context(), c, Handler{}); err == nil || c.Outcome != wiregauge.Local {
		t.Errorf("%v, %v", err, c.Outcome)
	}
}

// Send waits while an earlier message is queued, and stops with the call.
func TestSendWaitsForRoom(t *testing.T) {
	x := exchange(t, transports[0].dial(t, func(c net.Conn) {
		n := 4 + 300_000 + 5*(4+100_000)
		_, _ = io.ReadFull(c, make([]byte, n))
		_, _ = c.Write(frame("all there"))
		_, _ = io.Copy(io.Discard, c)
	}), newFrames)
	c := call(make([]byte, 300_000))
	if err := x.Start(t.Context(), c, Handler{}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := x.Send(c, make([]byte, 100_000), i == 4); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	x.Grant(c, 1)
	if err := x.Wait(t.Context(), c); err != nil || c.Outcome != wiregauge.OK {
		t.Errorf("%v, %v", err, c.Outcome)
	}
	if err := x.Send(c, []byte("late"), true); !errors.Is(err, wiregauge.ErrStopped) {
		t.Errorf("a message after the end: %v", err)
	}
}

// Bytes sees the whole connection in order, also what passed before it came.
func TestBytesOfTheConnection(t *testing.T) {
	x := exchange(t, Dialer{Network: "null"}, newFrames)
	if err := x.Do(t.Context(), call([]byte("before")), Handler{}); err != nil {
		t.Fatal(err)
	}
	var sent, received []byte
	tap := func(p []byte, out bool) {
		if out {
			sent = append(sent, p...)
		} else {
			received = append(received, p...)
		}
	}
	if err := x.Do(t.Context(), call([]byte("seen")), Handler{Bytes: tap}); err != nil {
		t.Fatal(err)
	}
	want := append(frame("before"), frame("seen")...)
	x.Close()
	if !bytes.Equal(sent, want) || !bytes.Equal(received, want) {
		t.Errorf("sent %q, received %q", sent, received)
	}
}
