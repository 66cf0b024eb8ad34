// Package gate is the small grammar of --fail-if: [ARM.]METRIC OP VALUE, several joined by commas. A VALUE with a sign and
// a % is a change from a baseline: p99<+10%.
//
// A gate names a bound; which side of it is good is known from the metric, because a gate that fails when latency
// is low has no use. So "p99<50ms", which states the good condition, and "p99>=50ms", which states the bad one,
// are the same gate. Start reading at Parse and Gate.Judge.
package gate

import (
	"fmt"
	"strconv"
	"strings"

	"wiregauge/internal/nearest"
	"wiregauge/internal/option"
	"wiregauge/result"
)

// A Gate is one bound.
type Gate struct {
	Expr   string // as typed
	Arm    string // empty: every arm
	Metric string // "p99.9", "mean", "errors" …
	// Bound is in the metric's unit: nanoseconds, a ratio, calls/s, bytes, or a number of calls.
	Bound float64
	// Inclusive says that the bound itself is still good.
	Inclusive bool
	// Relative says that Bound is how far the metric may move from the baseline's value, as a share: 0.1 for p99<+10%.
	Relative bool
	Floor    bool    // more is better
	unit     string  // "ns", "ratio", "calls/s", "bytes", "calls"
	percent  float64 // of a percentile, else 0
	value    string  // the bound as typed, for the words
}

// metrics and their units; percentiles beside them.
var metrics = map[string]string{
	"mean": "ns", "max": "ns", "ttfb": "ns", "cpu": "ns", "errors": "ratio", "unfinished": "calls",
	"rate": "calls/s", "goodput": "calls/s", "bytes": "bytes",
}

// An Error is an expression that is no gate, from which byte on.
type Error struct {
	Expr, Text string
}

// Error reads on from the flag's name.
func (e *Error) Error() string { return fmt.Sprintf("%q: %s", e.Expr, e.Text) }

// ParseAll reads several expressions, each of which may hold several gates joined by commas.
func ParseAll(exprs []string) ([]Gate, error) {
	var gates []Gate
	for _, expr := range exprs {
		for _, part := range strings.Split(expr, ",") {
			g, err := Parse(part)
			if err != nil {
				return nil, err
			}
			gates = append(gates, g)
		}
	}
	return gates, nil
}

// Parse reads one gate.
func Parse(expr string) (Gate, error) {
	g := Gate{Expr: strings.TrimSpace(expr)}
	at := strings.IndexAny(g.Expr, "<>=")
	if at <= 0 {
		return g, &Error{g.Expr, "a gate is METRIC OP VALUE, such as p99<50ms, errors<0.1% or rate>=2000"}
	}
	rest := g.Expr[at:]
	op := rest[:1]
	if len(rest) > 1 && rest[1] == '=' {
		op = rest[:2]
	}
	if op == "=" || op == "==" {
		return g, &Error{g.Expr, "a gate is a bound: write <, <=, > or >="}
	}
	if err := g.metric(strings.TrimSpace(g.Expr[:at])); err != nil {
		return g, err
	}
	g.value = strings.TrimSpace(rest[len(op):])
	if err := g.bound(); err != nil {
		return g, err
	}
	statesGood := (op[0] == '>') == g.Floor
	g.Inclusive = statesGood == (len(op) == 2)
	return g, nil
}

// metric reads [ARM.]METRIC; the dot of a percentile is not the one behind an arm.
func (g *Gate) metric(text string) error {
	name := text
	if !isPercentile(name) {
		if arm, metric, ok := strings.Cut(text, "."); ok {
			g.Arm, name = arm, metric
		}
	}
	g.Metric = name
	if isPercentile(name) {
		g.percent, _ = strconv.ParseFloat(name[1:], 64)
		g.unit = "ns"
		if g.percent <= 0 || g.percent >= 100 {
			return &Error{g.Expr, "a percentile lies between 0 and 100; for the highest value write max"}
		}
		return nil
	}
	unit, ok := metrics[name]
	if !ok {
		return unknownMetric(g.Expr, name)
	}
	g.unit = unit
	g.Floor = unit == "calls/s"
	return nil
}

func isPercentile(s string) bool {
	return len(s) > 1 && s[0] == 'p' && s[1] >= '0' && s[1] <= '9' && strings.Trim(s[1:], "0123456789.") == "" &&
		strings.Count(s, ".") <= 1
}

func unknownMetric(expr, name string) error {
	known := []string{"p50", "p99.9", "mean", "max", "ttfb", "errors", "rate", "goodput", "bytes", "cpu", "unfinished"}
	text := fmt.Sprintf("unknown metric %q; known: any percentile such as %s", name, strings.Join(known, ", "))
	if near := nearest.Of(name, known); near != "" && name != "" {
		text = fmt.Sprintf("unknown metric %q - did you mean %q?", name, near)
	}
	return &Error{expr, text}
}

// bound reads the value in the metric's unit.
func (g *Gate) bound() (err error) {
	switch {
	case g.value == "":
		return &Error{g.Expr, "the value is missing"}
	case strings.HasPrefix(g.value, "+"), strings.HasPrefix(g.value, "-") && strings.HasSuffix(g.value, "%"):
		return g.change()
	}
	switch g.unit {
	case "ns":
		d, e := option.ParseDuration(g.value, "")
		g.Bound, err = float64(d), e
	case "ratio":
		var share option.Share
		err = share.Set(g.value)
		g.Bound = float64(share)
	case "bytes":
		n, e := option.ParseCount(g.value)
		if e != nil {
			n, e = option.ParseSize(g.value)
		}
		g.Bound, err = float64(n), e
	default:
		n, e := parseNumber(strings.TrimSuffix(g.value, "/s"))
		g.Bound, err = n, e
	}
	if err != nil {
		return &Error{g.Expr, g.Metric + " " + err.Error()}
	}
	return nil
}

// change reads a bound on the change from a baseline: "+10%".
func (g *Gate) change() error {
	switch g.Metric {
	case "errors", "unfinished", "max", "ttfb":
		return &Error{g.Expr, g.Metric + " has no bound against a baseline; give one in numbers, such as errors<0.1%"}
	}
	number, percent := strings.CutSuffix(g.value, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !percent || !(share > -100 && share <= 1e6) {
		return &Error{g.Expr, "a bound against a baseline is a change in percent above -100% such as +10% or -5%"}
	}
	g.Relative, g.Bound, g.unit = true, share/100, "change"
	return nil
}

// parseNumber reads "2000", "2.5k" or "0.2".
func parseNumber(s string) (float64, error) {
	if n, err := option.ParseCount(s); err == nil {
		return float64(n), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f <= 1e15) {
		return 0, &option.Want{Want: "a number such as 2000, 2.5k or 0.2", Got: s}
	}
	return f, nil
}

// Words says the gate back: "fails when p99 is 50 ms or more".
func (g *Gate) Words() string {
	name := g.Metric
	if g.Arm != "" {
		name += " of " + g.Arm
	}
	verb := "is"
	if g.Metric == "errors" || g.Metric == "bytes" {
		verb = "are"
	}
	if g.Metric == "unfinished" {
		name = "the number of unfinished calls"
		if g.Arm != "" {
			name += " of " + g.Arm
		}
	}
	value := spaced(g.value)
	if g.Relative {
		return g.relativeWords(name, verb)
	}
	if g.unit == "calls/s" && !strings.HasSuffix(value, "/s") {
		value += "/s"
	}
	switch {
	case g.Floor && g.Inclusive:
		return fmt.Sprintf("fails when %s %s below %s", name, verb, value)
	case g.Floor:
		return fmt.Sprintf("fails when %s %s %s or less", name, verb, value)
	case g.Inclusive:
		return fmt.Sprintf("fails when %s %s above %s", name, verb, value)
	}
	return fmt.Sprintf("fails when %s %s %s or more", name, verb, value)
}

// relativeWords are "fails when p99 is 10 % or more above the baseline's".
func (g *Gate) relativeWords(name, verb string) string {
	side, size := "above", g.Bound
	if g.Bound < 0 {
		side, size = "below", -g.Bound
	}
	far := fmt.Sprintf("%.4g %%", 100*size)
	if toward := (side == "below") == g.Floor; g.Bound != 0 {
		switch {
		case toward && g.Inclusive:
			return fmt.Sprintf("fails when %s %s more than %s %s the baseline's", name, verb, far, side)
		case toward:
			return fmt.Sprintf("fails when %s %s %s or more %s the baseline's", name, verb, far, side)
		}
		if g.Inclusive {
			return fmt.Sprintf("fails unless %s %s %s or more %s the baseline's", name, verb, far, side)
		}
		return fmt.Sprintf("fails unless %s %s more than %s %s the baseline's", name, verb, far, side)
	}
	return fmt.Sprintf("fails when %s %s %s the baseline's", name, verb, map[bool]string{true: "below", false: "above"}[g.Floor])
}

// Answer is a relative gate as it is kept, judged for one arm by whoever knows the baseline.
func (g *Gate) Answer(arm string, change *float64, passed bool, unknown string) result.Gate {
	return result.Gate{Expr: g.Expr, Words: g.Words(), Unit: g.unit, Arm: arm, Value: change, Passed: passed, Unknown: unknown}
}

// spaced puts a space between a number and its unit: "50 ms", "0.1 %".
func spaced(value string) string {
	end := strings.LastIndexAny(value, "0123456789.") + 1
	first := strings.IndexFunc(value, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if first != end || end == len(value) || value[end] == '/' {
		return value // no unit, or several as in 1m30s
	}
	return value[:end] + " " + value[end:]
}
