package wire

import (
	"errors"
	"time"

	"wiregauge"
)

// Send sends one more message of c and blocks while an earlier one is still queued.
func (x *Exchange) Send(c *wiregauge.Call, message []byte, last bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.streamer == nil {
		return errors.New("this protocol has no streams")
	}
	for {
		p := x.calls[c]
		if p == nil {
			return wiregauge.ErrStopped
		}
		x.now = time.Since(x.epoch)
		var err error = wiregauge.Busy
		if x.out.Open() {
			err = x.out.Append(x.tapped(func(out []byte) ([]byte, error) {
				return x.streamer.Send(out, c, message, last)
			}))
			x.out.Push()
		}
		if err != wiregauge.Busy {
			return err
		}
		x.mu.Unlock()
		select {
		case <-p.room:
		case <-p.done:
		}
		x.mu.Lock()
	}
}

// Grant lets the peer send that many messages more.
func (x *Exchange) Grant(c *wiregauge.Call, messages int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.streamer == nil || x.calls[c] == nil {
		return
	}
	_ = x.out.Append(x.tapped(func(out []byte) ([]byte, error) {
		return x.streamer.Grant(out, c, messages), nil
	}))
	x.out.Push()
}
