package result

// Vitals is how the client and its machine fared while something was measured: what doubts about the numbers are
// computed from. What could not be read is nil, in files null, never 0. Times are in ns.
type Vitals struct {
	Observed    int64 `json:"observed_ns"`      // how long the client was watched
	Windows     int64 `json:"cpu_windows"`      // of 100 ms, in which its CPU time was read
	FullWindows int64 `json:"cpu_windows_full"` // those of them in which it used 95 % or more of its cores

	Gap     *int64 `json:"largest_gap_ns"` // longest that a thread which was due every millisecond did not run
	GCCPU   *int64 `json:"gc_cpu_ns"`      // CPU time of the client's garbage collections
	Gaps    int64  `json:"long_gaps"`      // such gaps of more than 50 ms
	Suspend *int64 `json:"suspended_ns"`   // how long the machine slept

	Throttled *int64 `json:"throttled_ns"`    // how long control groups held the client's CPUs back, added up over them
	Pressure  *int64 `json:"cpu_pressure_ns"` // how long some process of the machine waited for a CPU
	ClockRead *int64 `json:"clock_read_ns"`   // what one reading of the clock takes

	Retransmits *int64 `json:"retransmits"`      // segments that the client's own sockets sent again
	Overflows   *int64 `json:"listen_overflows"` // connections for which no listen queue of this machine had room

	// InFlight and Latencies are two counts of the same: time spent by all sent calls between due and done, once as the
	// area under the number of calls in flight and once from their latencies, both to the window's end.
	InFlight  *int64 `json:"in_flight_area_ns"`
	Latencies *int64 `json:"latency_area_ns"`
}

// Add adds what was seen in a further turn; what is known of one of the two only stands for both.
func (v *Vitals) Add(o Vitals) {
	v.Observed += o.Observed
	v.Windows += o.Windows
	v.FullWindows += o.FullWindows
	v.Gaps += o.Gaps
	for _, pair := range [...]struct {
		into **int64
		from *int64
	}{
		{&v.GCCPU, o.GCCPU}, {&v.Suspend, o.Suspend}, {&v.Throttled, o.Throttled}, {&v.Pressure, o.Pressure},
		{&v.Retransmits, o.Retransmits}, {&v.Overflows, o.Overflows}, {&v.InFlight, o.InFlight}, {&v.Latencies, o.Latencies},
	} {
		*pair.into = joined(*pair.into, pair.from, func(a, b int64) int64 { return a + b })
	}
	larger := func(a, b int64) int64 { return max(a, b) }
	v.Gap = joined(v.Gap, o.Gap, larger)
	v.ClockRead = joined(v.ClockRead, o.ClockRead, larger)
}

func joined(a, b *int64, join func(a, b int64) int64) *int64 {
	switch {
	case b == nil:
		return a
	case a == nil:
		c := *b
		return &c
	}
	c := join(*a, *b)
	return &c
}
