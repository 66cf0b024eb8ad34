package result

// A SlowConsumer is what came of streams whose messages were taken no faster than asked. A server is ahead by what was
// received and is not consumed yet, the message being consumed included.
type SlowConsumer struct {
	Rate       float64 `json:"messages_per_second"` // that each stream takes
	Consumed   int64   `json:"consumed"`
	Left       int64   `json:"left"`                    // not consumed when their stream ended
	AheadMax   int64   `json:"ahead_max"`               // messages of one stream
	AheadMean  float64 `json:"ahead_mean"`              // messages of a stream, over its time
	AheadBytes int64   `json:"ahead_bytes_max"`         // of one stream's messages
	Streamed   int64   `json:"streamed_ns"`             // the time of all streams together
	Unread     *int64  `json:"kernel_unread_max_bytes"` // most that was seen unread in the kernel on one connection, of four looks a second and one at the end; null when it is unknown
}

// With is both together. What was unread is unknown when one of them does not know it.
func (s SlowConsumer) With(o SlowConsumer) SlowConsumer {
	sum := SlowConsumer{Rate: o.Rate, Consumed: s.Consumed + o.Consumed, Left: s.Left + o.Left, Streamed: s.Streamed + o.Streamed,
		AheadMax: max(s.AheadMax, o.AheadMax), AheadBytes: max(s.AheadBytes, o.AheadBytes)}
	if sum.Streamed > 0 {
		sum.AheadMean = (s.AheadMean*float64(s.Streamed) + o.AheadMean*float64(o.Streamed)) / float64(sum.Streamed)
	}
	if s.Unread != nil && o.Unread != nil {
		n := max(*s.Unread, *o.Unread)
		sum.Unread = &n
	}
	return sum
}

func (t *Turn) addSlow(o *SlowConsumer) {
	switch {
	case o == nil:
	case t.Slow == nil:
		one := *o
		t.Slow = &one
	default:
		sum := t.Slow.With(*o)
		t.Slow = &sum
	}
}
