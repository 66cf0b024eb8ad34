package load

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"wiregauge"
	"wiregauge/wire"
)

// An ending is why a connection ended.
type ending uint8

const (
	byServer ending = iota // it closed, or sent a FIN
	byGoAway
	byReset
	byMalformed
	byTimeout
	byCallDone
	byTurnEnd
	byLibrary
	endings
)

var endingNames = [endings]string{
	"closed by server", "goaway", "reset", "malformed", "our timeout", "call done", "cut at the end of a turn",
	"closed by the library",
}

// A link is one connection of a lane with its session: what the session's events arrive at. It is guarded by the
// lane's mutex.
type link struct {
	lane *lane
	out  wire.Outbox
	beat
	fault     error            // why we end it, where no read or write tells
	client    wiregauge.Client // stack client, in place of conn and session
	born      time.Duration    // when dialing began
	flight    int
	blocked   bool // refused a call; tried again after the next event
	greeting  bool // the peer's hello is still to come
	retired   bool // takes no more calls, and ends when the last one has
	shutting  bool
	hungUp    bool // its calls are of no interest any more: their slots come back when the session lets go of them
	why       ending
	hello     chan error         // of size 1: nil once it takes calls, or why it never will
	streamer  wiregauge.Streamer // nil where the session has no streams
	grants    []*slot            // whose server is to be asked for more messages
	unstamped []*slot            // started, with all bytes in the buffer that is written next
	stamped   []*slot            // those of the buffer before
	stamp     time.Duration
}

// room reports whether a call may be offered.
func (k *link) room() bool {
	if k.blocked || k.retired || k.shutting {
		return false
	}
	if most := k.lane.e.streams; most > 0 && k.flight >= most {
		return false
	}
	return k.client != nil || k.out.Open()
}

func (k *link) start(s *slot) error {
	if k.client != nil {
		k.hand(s)
		return nil
	}
	if k.lane.now >= k.next {
		if err := k.tick(k.lane.now); err != nil {
			k.fail(err)
			return wiregauge.Closing
		}
	}
	return k.out.Start(&s.Call)
}

// push writes what there is, without blocking.
func (k *link) push() {
	if k.client != nil {
		k.Fill()
		return
	}
	k.out.Push()
}

// Fill starts waiting calls and pulls what the session has queued, until neither gives anything more.
func (k *link) Fill() {
	l := k.lane
	for {
		if k == l.cur {
			l.start(1 << 30)
		}
		if k.client == nil && !k.shutting {
			k.out.Flush()
		}
		if !l.collect() {
			return
		}
	}
}

// Sending stamps the calls whose last byte goes out now.
func (k *link) Sending(late bool) {
	if late {
		k.restamp()
		return
	}
	if len(k.unstamped) == 0 {
		return
	}
	now := k.lane.e.clock.Now()
	k.lane.now, k.stamp = now, now
	for _, s := range k.unstamped {
		s.Sent = now
		if s.Outcome != wiregauge.Unfinished { // a one-way call, which is done now
			s.Done = now
			k.lane.ended = append(k.lane.ended, s)
		}
	}
	k.unstamped, k.stamped = k.stamped[:0], k.unstamped
}

// restamp corrects the calls of a buffer that the kernel took only now. Those that have ended meanwhile, or another
// call in their slot, have another stamp or another link.
func (k *link) restamp() {
	now := k.lane.e.clock.Now()
	for _, s := range k.stamped {
		if s.link == k && s.Sent == k.stamp && s.Outcome == wiregauge.Unfinished {
			s.Sent = now
		}
	}
	k.stamped = k.stamped[:0]
}

// receive is what the reading goroutine does with what it has read: it finishes the calls that were answered.
func (k *link) receive(p []byte) (used int, err error) {
	l := k.lane
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = now
	k.blocked = false
	l.consume(now)
	used, err = k.out.Receive(p)
	if len(k.grants) > 0 {
		k.grant()
	}
	if err == nil {
		err = k.tick(now)
	}
	if k.greeting {
		k.greet()
	}
	l.collect()
	if err != nil {
		k.out.Push() // what the session still has to say
	}
	return used, err
}

// rest is what it does before it waits for more: new calls out, one write for all.
func (k *link) rest() {
	l := k.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	k.out.Push()
	if !k.greeting {
		l.arrived()
	}
	if k.retired && k.flight == 0 {
		k.shut()
	}
	if l.cur != k || l.granted {
		l.granted = false
		l.push()
	}
	if l.tally.ripe(l.now) {
		l.tally.flush()
	}
	l.publish()
}

// greet opens the link for calls once the session has the peer's hello.
func (k *link) greet() {
	if g, ok := k.out.Session.(wiregauge.Greeter); ok && !g.Ready() {
		k.greeting = true
		return
	}
	k.greeting, k.blocked = false, false
	k.lane.connected(k)
}

// retire takes the link out of use for new calls.
func (k *link) retire(why ending) {
	if k.retired {
		return
	}
	k.retired, k.why = true, why
	if k.lane.cur == k {
		k.lane.cur = nil
	}
}

// shut ends the link now; its reading goroutine does the rest.
func (k *link) shut() {
	if k.shutting {
		return
	}
	k.shutting = true
	if k.client != nil {
		k.dismiss()
		return
	}
	k.out.Conn.Shut()
}

// cancel abandons s, which is in flight.
func (k *link) cancel(s *slot) (spent bool) {
	if k.client != nil {
		return false
	}
	k.forget(s)
	if s.Outcome != wiregauge.Unfinished {
		return false // one-way: the session has let go of it before
	}
	return errors.Is(k.out.Cancel(&s.Call), wiregauge.ErrClose)
}

// giveUp abandons s for that reason, and the link with it where the protocol knows no other way.
func (k *link) giveUp(s *slot, why ending) {
	if k.cancel(s) {
		k.retire(why)
		k.shut()
	}
}

// hangUp ends the link under its calls, of which the server is told nothing.
func (k *link) hangUp() {
	if k.hungUp {
		return
	}
	for _, s := range k.unstamped {
		if s.Outcome != wiregauge.Unfinished { // one-way: the session has let go of it before
			k.lane.free = append(k.lane.free, s)
		}
	}
	k.hungUp, k.unstamped, k.stamped = true, nil, nil
	k.retire(byTurnEnd)
	k.shut()
}

func (k *link) forget(s *slot) {
	for i, u := range k.unstamped {
		if u == s {
			k.unstamped = append(k.unstamped[:i], k.unstamped[i+1:]...)
			return
		}
	}
}

// Sent stamps a call that had bytes queued: its last byte goes out with the buffer that is filled now.
func (k *link) Sent(c *wiregauge.Call) {
	if !k.hungUp {
		k.unstamped = append(k.unstamped, k.slot(c))
	}
}

// First stamps the call.
func (k *link) First(c *wiregauge.Call) { c.First = k.lane.now }

// Message looks at a body: it may be enough of a stream, or not what was expected.
func (k *link) Message(c *wiregauge.Call, body []byte) {
	s := k.slot(c)
	if !k.hungUp && !s.taken && s.message(k.lane, body) {
		k.lane.ended = append(k.lane.ended, s)
	}
}

// Room is of no use here: a blocked link is tried again after every Receive.
func (k *link) Room(*wiregauge.Call) {}

// Closing retires the link; the lane opens the next one at once.
func (k *link) Closing() { k.retire(k.notice()) }

// notice is how a server says that a connection takes no more calls: where calls share it with a GOAWAY, else with the
// answer after which it closes.
func (k *link) notice() ending {
	if k.lane.e.plan.Multiplexed {
		return byGoAway
	}
	return byServer
}

// Done notes the end of a call, to be worked on when the session has returned.
func (k *link) Done(c *wiregauge.Call) {
	s := k.slot(c)
	if k.hungUp {
		k.lane.free = append(k.lane.free, s)
		return
	}
	c.Done = k.lane.now
	if c.Sent == wiregauge.Never && c.Shape == wiregauge.OneWay && c.Outcome == wiregauge.OK {
		return // Sending tells when it really goes out
	}
	if c.Sent == wiregauge.Never {
		k.forget(s)
	}
	if !s.taken { // else it is in the list already
		k.lane.ended = append(k.lane.ended, s)
	}
}

func (k *link) slot(c *wiregauge.Call) *slot { return k.lane.slots[c.Slot] }

// run reads until the connection ends; it is the goroutine of the link.
func (k *link) run() {
	err := k.out.Conn.Loop(k.receive, k.rest)
	k.end(err)
	_ = k.out.Conn.Close()
}

// end lets the session finish what is open and takes the link off its lane.
func (k *link) end(err error) {
	l := k.lane
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = now
	k.still()
	if k.fault != nil {
		err = k.fault
	}
	if !k.retired {
		k.retire(endingOf(err, k.out.Err()))
	}
	k.shutting = true
	k.unwritten()
	k.out.Session.End(cause(err, k.out.Err()))
	l.collect()
	l.drop(k, err)
	l.push()
}

// unwritten fails one-way calls that the session has let go of and whose bytes never went out.
func (k *link) unwritten() {
	for _, s := range k.unstamped {
		if s.Outcome == wiregauge.OK && s.Sent == wiregauge.Never {
			s.Outcome, s.Done = wiregauge.Closed, k.lane.now
			k.lane.ended = append(k.lane.ended, s)
		}
	}
	k.unstamped = k.unstamped[:0]
}

// cause is what the session is told: the error of the read, unless only a write knows that it was a reset.
func cause(read, write error) error {
	if write != nil && (read == nil || read == io.EOF) {
		return write
	}
	return read
}

func endingOf(read, write error) ending {
	var perr *wiregauge.ProtocolError
	switch {
	case errors.As(read, &perr):
		return byMalformed
	case isReset(read), isReset(write):
		return byReset
	case isAlert(read), read == nil, errors.Is(read, io.EOF), errors.Is(read, io.ErrUnexpectedEOF), errors.Is(read, os.ErrClosed):
		return byServer
	}
	return byMalformed
}

// isAlert reports whether the peer ended the connection by a TLS alert: a certificate that it wants, or does not.
func isAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

var (
	_ wiregauge.Events = (*link)(nil)
	_ wire.Owner       = (*link)(nil)
)
