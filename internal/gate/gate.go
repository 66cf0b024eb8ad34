// Package gate is the small grammar of --fail-if: [ARM.]METRIC OP VALUE, several joined by commas.
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
	unit      string  // "ns", "ratio", "calls/s", "bytes", "calls"
	percent   float64 // of a percentile, else 0
	floor     bool    // more is better
	value     string  // the bound as typed, for the words
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
	statesGood := (op[0] == '>') == g.floor
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
	g.floor = unit == "calls/s"
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
		return &Error{g.Expr, "a bound against a baseline needs --against, which is not in this version"}
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
	if g.unit == "calls/s" && !strings.HasSuffix(value, "/s") {
		value += "/s"
	}
	switch {
	case g.floor && g.Inclusive:
		return fmt.Sprintf("fails when %s %s below %s", name, verb, value)
	case g.floor:
		return fmt.Sprintf("fails when %s %s %s or less", name, verb, value)
	case g.Inclusive:
		return fmt.Sprintf("fails when %s %s above %s", name, verb, value)
	}
	return fmt.Sprintf("fails when %s %s %s or more", name, verb, value)
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
