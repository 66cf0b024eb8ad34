package truth

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/internal/nearest"
	"wiregauge/lab/plant"
)

// A Case is a planted server with the loads under which its right answer is known.
type Case struct {
	Name  string // "S2", or "" for a plant of the user's own
	Title string
	Plant string // in the grammar of package plant
	Loads []Load // none for a plant of the user's own
}

// A Load is how a case is called, and what is true then.
type Load struct {
	Rate     float64       // calls per second; 0 for a closed loop
	Poisson  bool          // arrivals of a rate; else evenly spaced
	Callers  int           // of a closed loop
	Single   bool          // all calls on one connection, where the protocol can
	Calls    int           // how many, exactly; 0: as many as fit into Duration
	Duration time.Duration // whole periods of what is planted; about, where Calls are told
	Timeout  time.Duration // of a call; 0: it does not matter
	Truth    Truth
}

// A Truth is what an honest client reports. Latency is that of calls that were answered well.
type Truth struct {
	// Latency is its quantile at p in [0, 1]; nil where there is none by formula.
	Latency func(p float64) time.Duration
	// Tested are the percentiles that have enough calls behind them and do not lie on a jump.
	Tested []float64
	// Chance says that the formula holds in the long run only: the truth of one run is the server's own log.
	Chance bool
	// FirstByte is when the answer begins, where that is not when it ends.
	FirstByte time.Duration
	// Goodput is calls answered well per second; 0 where it is not told.
	Goodput float64
	// Failed is the share of calls that fail, exactly; -1 where it is not told.
	Failed float64
}

// Parse reads what serve --truth is given: the name of a case, or a plant of the user's own.
func Parse(spec string) (*Case, error) {
	spec = strings.TrimSpace(spec)
	if c := Find(spec); c != nil {
		return c, nil
	}
	if spec == "" || !strings.ContainsAny(spec, "=") && !isPlant(spec) {
		return nil, unknown(spec)
	}
	p, err := plant.Parse(spec)
	if err != nil {
		return nil, err
	}
	c := &Case{Title: "a plant of your own", Plant: spec}
	if law := p.Delay; !p.Shapes() {
		c.Loads = []Load{{Truth: Truth{Latency: func(q float64) time.Duration { return law.Quantile(q) }, Tested: usual, Failed: -1}}}
	}
	return c, nil
}

func isPlant(spec string) bool {
	_, err := plant.Parse(spec)
	return err == nil
}

func unknown(spec string) error {
	names := Names()
	if near := nearest.Of(spec, names); near != "" {
		return fmt.Errorf("truth: no case %q; did you mean %s? There are %s, or a plant such as delay=exp:5ms", spec, near, strings.Join(names, ", "))
	}
	return fmt.Errorf("truth: no case %q; there are %s, or a plant such as delay=exp:5ms", spec, strings.Join(names, ", "))
}

// Find is the case of a name, or nil.
func Find(name string) *Case {
	for i := range cases {
		if strings.EqualFold(cases[i].Name, name) {
			c := cases[i]
			return &c
		}
	}
	return nil
}

// Names lists the cases in order.
func Names() []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.Name
	}
	return names
}

// Cases lists all of them.
func Cases() []Case { return append([]Case(nil), cases...) }

// String is the load as a user writes it: "200/s constant for 10s", "10 callers for 5s".
func (l Load) String() string {
	var b strings.Builder
	switch {
	case l.Rate > 0 && l.Poisson:
		fmt.Fprintf(&b, "%g/s poisson", l.Rate)
	case l.Rate > 0:
		fmt.Fprintf(&b, "%g/s constant", l.Rate)
	case l.Callers > 0:
		fmt.Fprintf(&b, "%d callers", l.Callers)
	default:
		return "any load"
	}
	if l.Single {
		b.WriteString(" on one connection")
	}
	if l.Calls > 0 {
		return fmt.Sprintf("%s, %d calls", b.String(), l.Calls)
	}
	return fmt.Sprintf("%s for %v", b.String(), l.Duration)
}

// Says is the truth in words: "p50 5ms, p99 905ms, 20 % fail".
func (t Truth) Says() string {
	var parts []string
	if t.Latency != nil {
		for _, p := range t.Tested {
			parts = append(parts, fmt.Sprintf("%s %v", Name(p), t.Latency(p/100).Round(time.Microsecond)))
		}
	}
	if t.FirstByte > 0 {
		parts = append(parts, fmt.Sprintf("first byte %v", t.FirstByte))
	}
	if t.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%.3g %% fail", 100*t.Failed))
	}
	if t.Goodput > 0 {
		parts = append(parts, fmt.Sprintf("%.5g good calls/s", t.Goodput))
	}
	return strings.Join(parts, ", ")
}
