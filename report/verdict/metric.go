package verdict

import (
	"strconv"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// factor is where "50 % faster" becomes "1.5x faster".
const factor = 1.5

// A metric is how one quantity is spoken of.
type metric struct {
	better, worse string // of the second arm
	place         string // " at p99"
	amount        bool   // a cost: fewer or less of something, instead of faster
	thing         string // what the cost is counted in: "CPU per call"
	verb          string // "takes"
}

// metricOf knows the metrics of a verdict; percentiles and unknown ones are times.
func metricOf(name string) metric {
	switch name {
	case "rate", "goodput":
		return metric{better: "faster", worse: "slower", place: " in calls/s"}
	case "cpu":
		return cost("less", "more", "client CPU per call", "takes")
	case "server_cpu":
		return cost("less", "more", "server CPU per call", "takes")
	case "bytes":
		return cost("fewer", "more", "bytes per call", "moves")
	case "errors":
		return cost("fewer", "more", "errors", "has")
	case "memory":
		return cost("less", "more", "memory", "needs")
	case "ttfb":
		return metric{better: "faster", worse: "slower", place: " to the first byte"}
	case "mean":
		return metric{better: "faster", worse: "slower", place: " on average"}
	default:
		return metric{better: "faster", worse: "slower", place: " at " + name}
	}
}

func cost(better, worse, thing, verb string) metric {
	return metric{better: better, worse: worse, amount: true, thing: thing, verb: verb}
}

// Name is the metric as a column is headed.
func Name(metric string) string {
	switch metric {
	case "rate":
		return "calls/s"
	case "cpu":
		return "CPU/call"
	case "server_cpu":
		return "server CPU"
	case "bytes":
		return "bytes/call"
	default:
		return metric
	}
}

// topic is what an open judgement is about: " at p99", " in CPU per call".
func (m metric) topic() string {
	if m.amount {
		return " in " + m.thing
	}
	return m.place
}

// claim is the verb, the amount and the word: "is 1.8x faster than", "probably takes 12 % less CPU per call than".
func (m metric) claim(v result.Verdict) string {
	better := v.Outcome == result.Faster || v.Outcome == result.ProbablyFaster
	probably := strings.HasPrefix(v.Outcome, "probably_")
	how := m.amountOf(v, better)
	if m.amount {
		how += m.thing
		if probably {
			return "probably " + m.verb + " " + how + " than"
		}
		return m.verb + " " + how + " than"
	}
	if probably {
		return "is probably " + how + "than"
	}
	return "is " + how + "than"
}

// amountOf is "at least 1.8x faster " or "44 % less "; a missing ratio leaves the bare word.
func (m metric) amountOf(v result.Verdict, better bool) string {
	word := m.worse
	if better {
		word = m.better
	}
	if v.Ratio == nil || *v.Ratio <= 0 {
		return word + " "
	}
	ratio := *v.Ratio
	size := atLeast(v)
	switch {
	case better && m.amount:
		size += number.Percent(1 - 1/ratio) // cannot exceed 100 %
	case better:
		size += times(ratio)
	default:
		size += times(1 / ratio)
	}
	return size + " " + word + " "
}

// atLeast is said when the client was the limit of the faster arm.
func atLeast(v result.Verdict) string {
	if v.AtLeast && (v.Outcome == result.Faster || v.Outcome == result.Slower || strings.HasPrefix(v.Outcome, "probably_")) {
		return "at least "
	}
	return ""
}

// times is a ratio of at least 1 as "1.8x", below 1.5 in percent.
func times(ratio float64) string {
	if ratio < factor {
		return number.Percent(ratio - 1)
	}
	text := number.Significant(ratio)
	if ratio < 9.95 { // one digit behind the point is enough in a sentence
		text = strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return text + "x"
}
