package rsocket

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"syscall"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
)

// End finishes every open call, in the order of their start. What the peer said or broke last is the reason of each.
func (s *session) End(cause error) {
	if s.ended {
		return
	}
	s.ended = true
	var open []*stream
	s.departing = nil
	for _, st := range s.all {
		if st.call != nil {
			st.departs = 0
			open = append(open, st)
		}
	}
	slices.SortFunc(open, func(a, b *stream) int { return cmp.Compare(a.order, b.order) })
	outcome, status, text := s.verdict(cause)
	calls := make([]*wiregauge.Call, len(open))
	for i, st := range open {
		c := st.call
		c.Outcome, c.Status = outcome, status
		switch {
		case c == s.culprit:
			c.Outcome = wiregauge.TooLarge
		case s.culprit != nil:
			c.Outcome = wiregauge.Closed
		case !st.requested && s.farewell == nil:
			c.Outcome, c.Status = wiregauge.Unprocessed, 0
		}
		if c.Explain {
			c.Text = text
		}
		calls[i] = s.release(st)
	}
	for _, c := range calls {
		s.ev.Done(c)
	}
}

// verdict turns the end of a connection into the outcome of the calls that were open on it.
func (s *session) verdict(cause error) (o wiregauge.Outcome, status int, text string) {
	if s.broken != nil {
		cause = s.broken
	}
	var breach *wiregauge.ProtocolError
	switch {
	case s.farewell != nil:
		return wiregauge.Failed, int(s.farewell.Code), s.farewell.Error()
	case errors.As(cause, &breach):
		return wiregauge.Malformed, 0, breach.Error()
	case errors.Is(cause, syscall.ECONNRESET), errors.Is(cause, syscall.EPIPE):
		return wiregauge.Reset, 0, cause.Error()
	case cause == nil || errors.Is(cause, io.EOF):
		return wiregauge.Closed, 0, "the server closed the connection without an ERROR before the answer was complete"
	}
	return wiregauge.Closed, 0, cause.Error()
}

// Class names a failed call for the error table by the code of the ERROR that ended it. Code 0, which no server should
// send, has no name.
func Class(o wiregauge.Outcome, status int) string {
	switch o {
	case wiregauge.Failed, wiregauge.Refused, wiregauge.Reset:
		if status > 0 {
			return frame.Code(status).String()
		}
	}
	return ""
}
