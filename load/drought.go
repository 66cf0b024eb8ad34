package load

import "time"

// A drought is the time in which a connection took no call because its server had given no lease. One that is refused
// again in the moment in which a lease let some calls through goes on: those that still wait have waited all the time.
type drought struct {
	known        bool // there was one
	lasts        bool
	began, ended time.Duration
}

// refused notes that a call was refused for want of a lease.
func (d *drought) refused(now time.Duration) {
	if d.lasts {
		return
	}
	if !d.known || now != d.ended {
		d.began = now
	}
	d.known, d.lasts = true, true
}

// over notes that a call was taken, which waited since then, and says how long it waited in the drought.
func (d *drought) over(since, now time.Duration) time.Duration {
	if d.lasts {
		d.lasts, d.ended = false, now
	}
	return max(d.ended-max(since, d.began), 0)
}

// leased counts a call that has waited for a lease.
func (a *tally) leased(s *slot, waited time.Duration) {
	if waited > 0 {
		c := a.of(s)
		c.LeaseWaits++
		c.LeaseWaited += waited
	}
}
