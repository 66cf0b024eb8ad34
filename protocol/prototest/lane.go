package prototest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"wiregauge"
)

// patience is how long a test waits for a peer before it says that the two are stuck. It is no measurement.
const patience = 20 * time.Second

// A Lane runs a Driver over a connection: one goroutine reads, one writes, and reading goes on while a write is
// blocked. Its methods may be used by one goroutine, beside those two.
type Lane struct {
	*Driver
	t    testing.TB
	conn net.Conn

	mu      sync.Mutex
	changed *sync.Cond
	closed  bool
	running sync.WaitGroup
}

// NewLane makes a session, sends its hello over conn and runs until the test ends or the connection does.
func NewLane(t testing.TB, conn net.Conn, open NewSession) *Lane {
	t.Helper()
	l := &Lane{Driver: NewDriver(open), t: t, conn: conn}
	l.changed = sync.NewCond(&l.mu)
	l.running.Add(2)
	go l.read()
	go l.write()
	t.Cleanup(func() {
		l.Close()
		l.Driver.Check(t)
	})
	return l
}

// Do starts c as soon as there is a slot, waits until it is done and returns it.
func (l *Lane) Do(r *wiregauge.Request) *wiregauge.Call {
	l.t.Helper()
	c := NewCall(r)
	l.Start(c)
	l.Wait(c)
	return c
}

// Start starts c, waiting while there is no slot. Any other error fails the test.
func (l *Lane) Start(c *wiregauge.Call) {
	l.t.Helper()
	l.retry("start a call", func() error { return l.Driver.Start(c) })
}

// Send sends one more message of c, waiting while an earlier one is queued. It reports whether the peer wants more.
func (l *Lane) Send(c *wiregauge.Call, message []byte, last bool) bool {
	l.t.Helper()
	wanted := true
	l.retry("send a message", func() error {
		if l.Events.Ended(c) {
			wanted = false
			return nil
		}
		err := l.Driver.Send(c, message, last)
		if errors.Is(err, wiregauge.ErrStopped) {
			wanted = false
			return nil
		}
		return err
	})
	return wanted
}

// Grant lets the peer of c send that many messages more.
func (l *Lane) Grant(c *wiregauge.Call, messages int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.Events.Ended(c) {
		l.Driver.Grant(c, messages)
	}
	l.changed.Broadcast()
}

// Cancel abandons c and closes the connection when the session asks for it, which it reports.
func (l *Lane) Cancel(c *wiregauge.Call) (spent bool) {
	l.mu.Lock()
	err := l.Driver.Cancel(c)
	l.changed.Broadcast()
	l.mu.Unlock()
	if errors.Is(err, wiregauge.ErrClose) {
		l.Close()
		return true
	}
	if err != nil {
		l.t.Errorf("cancel: %v; expected nil or ErrClose", err)
	}
	return false
}

// Wait waits until c is done.
func (l *Lane) Wait(c *wiregauge.Call) {
	l.t.Helper()
	l.Until("a call to be done", func() bool { return l.Events.Ended(c) })
}

// Until waits until the condition holds; it is looked at, under the lane's lock, after everything that happens.
func (l *Lane) Until(what string, holds func() bool) {
	l.t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		l.mu.Lock()
		late = true
		l.changed.Broadcast()
		l.mu.Unlock()
	})
	defer timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for !holds() {
		if late {
			l.t.Fatalf("stuck while waiting for %s: %d calls open, %d bytes unsent, %d bytes not used, receive error %v",
				what, l.Events.Open(), l.Unsent(), len(l.in), l.Err)
		}
		l.changed.Wait()
	}
}

// Close closes the connection and ends the session, as a lane does that has no more use for it.
func (l *Lane) Close() {
	l.conn.Close()
	l.end(io.EOF)
	l.running.Wait()
}

// retry calls try until it succeeds; NoSlots and a full buffer are waited out, Closing is not.
func (l *Lane) retry(what string, try func() error) {
	l.t.Helper()
	var err error
	l.Until("room to "+what, func() bool {
		if l.closed {
			err = errors.New("the connection has ended")
			return true
		}
		err = try()
		var no wiregauge.NoSlot
		wait := errors.Is(err, errFull) || errors.As(err, &no) && no != wiregauge.Closing
		l.changed.Broadcast() // the writer
		return !wait
	})
	if err != nil {
		l.t.Fatalf("%s: %v", what, err)
	}
}

func (l *Lane) read() {
	defer l.running.Done()
	p := make([]byte, 64<<10)
	for {
		n, err := l.conn.Read(p)
		l.mu.Lock()
		if n > 0 && !l.closed {
			if failed := l.Feed(p[:n]); failed != nil {
				err = failed
			}
			l.changed.Broadcast()
		}
		l.mu.Unlock()
		if err != nil {
			l.end(err)
			return
		}
	}
}

func (l *Lane) write() {
	defer l.running.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for l.Unsent() == 0 && !l.closed {
			l.changed.Wait()
		}
		if l.closed {
			return
		}
		p := l.Take(wiregauge.Unsent)
		l.mu.Unlock()
		_, err := l.conn.Write(p)
		l.mu.Lock()
		if err != nil {
			return // the reader meets the end of the connection with what the peer still said before it
		}
		l.changed.Broadcast()
	}
}

// end finishes the session once. What Receive still owed the peer is not written: tests of a session read it
// from a Driver.
func (l *Lane) end(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	l.Driver.End(cause)
	l.conn.Close()
	l.changed.Broadcast()
}
