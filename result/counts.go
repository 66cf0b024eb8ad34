package result

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

func mismatch(held, said int64) error {
	return fmt.Errorf("the histogram holds %d values and n says %d; they should be equal", held, said)
}

// Check reports what is not conserved: due = unsent + sent, sent = ok + failed + unfinished, timed out ⊂ failed.
// It is nil when every call is accounted for.
func (c Counts) Check() error {
	switch {
	case c.Due != c.Unsent+c.Sent:
		return fmt.Errorf("due %d is not unsent %d + sent %d", c.Due, c.Unsent, c.Sent)
	case c.Sent != c.OK+c.Failed+c.Unfinished:
		return fmt.Errorf("sent %d is not ok %d + failed %d + unfinished %d", c.Sent, c.OK, c.Failed, c.Unfinished)
	case c.TimedOut > c.Failed:
		return fmt.Errorf("timed out %d is more than failed %d", c.TimedOut, c.Failed)
	case c.least() < 0:
		return fmt.Errorf("a count is below 0: %d", c.least())
	}
	return nil
}

func (c Counts) least() int64 {
	return min(c.Due, c.Unsent, c.Sent, c.Resent, c.OK, c.Failed, c.TimedOut, c.Unfinished, c.Messages, c.MessagesInside, c.LeaseWaits, int64(c.LeaseWaited))
}

// Add adds o.
func (c *Counts) Add(o Counts) {
	c.Due += o.Due
	c.Unsent += o.Unsent
	c.Sent += o.Sent
	c.Resent += o.Resent
	c.OK += o.OK
	c.Failed += o.Failed
	c.TimedOut += o.TimedOut
	c.Unfinished += o.Unfinished
	c.Messages += o.Messages
	c.MessagesInside += o.MessagesInside
	c.LeaseWaits += o.LeaseWaits
	c.LeaseWaited += o.LeaseWaited
}

// Finished is how many calls ended, well or not.
func (c Counts) Finished() int64 { return c.OK + c.Failed }

// ErrorShare is failed over finished calls, 0 when none finished.
func (c Counts) ErrorShare() float64 {
	if c.Finished() == 0 {
		return 0
	}
	return float64(c.Failed) / float64(c.Finished())
}

// LeavesOut reports whether percentile p (in percent) of the OK calls leaves out so many calls that timed out, never
// finished or were never sent that it no longer describes the load: more than a tenth of what lies beyond it.
func (c Counts) LeavesOut(p float64) bool {
	missing := c.TimedOut + c.Unfinished + c.Unsent
	return c.Due > 0 && float64(missing)/float64(c.Due) > (1-p/100)/10
}

// Add adds o.
func (b *Bytes) Add(o Bytes) {
	b.Body += o.Body
	b.Framing += o.Framing
	b.Headers += o.Headers
	b.Control += o.Control
	b.TLS += o.TLS
	b.Wire += o.Wire
}

// Add adds the times and collections of o; cores and memory are the larger ones.
func (c *CPU) Add(o CPU) {
	c.User += o.User
	c.System += o.System
	c.Cores = max(c.Cores, o.Cores)
	c.RSS = max(c.RSS, o.RSS)
	c.GCs += o.GCs
}

// PerCall is the CPU time of one of n calls; nil when there was none.
func (c CPU) PerCall(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return ns(c.Total() / time.Duration(n))
}

// Share is how much of its cores it used over a window, 0 to 1; 0 when that is unknown.
func (c CPU) Share(window time.Duration) float64 {
	if window <= 0 || c.Cores <= 0 {
		return 0
	}
	return float64(c.Total()) / (float64(window) * c.Cores)
}

// add adds what a further turn opened and lost; addresses are listed once.
func (c *Connections) add(o Connections) {
	c.Asked = max(c.Asked, o.Asked)
	c.Opened += o.Opened
	c.Failed += o.Failed
	for _, why := range slices.Sorted(maps.Keys(o.Ended)) {
		if c.Ended == nil {
			c.Ended = map[string]int64{}
		}
		c.Ended[why] += o.Ended[why]
	}
	for _, addr := range o.Addrs {
		if !slices.Contains(c.Addrs, addr) {
			c.Addrs = append(c.Addrs, addr)
		}
	}
	if o.TLS != "" {
		c.TLS = o.TLS
	}
	if o.ALPN != "" {
		c.ALPN = o.ALPN
	}
}
