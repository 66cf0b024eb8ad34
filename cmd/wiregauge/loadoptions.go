package main

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"wiregauge/internal/option"
	"wiregauge/load"
	"wiregauge/pace"
)

// LoadOptions say how much is sent and when, the same in run and compare.
type LoadOptions struct {
	Total       option.Count  `flag:"total,n" value:"N" help:"number of calls, exactly: 200, 10k, 1m"`
	Concurrency int           `flag:"concurrency,c" value:"N" min:"1" max:"1000000" help:"calls in flight (50 when nothing is said); under --rate the most calls in flight"`
	Duration    time.Duration `flag:"duration,z" value:"TIME" help:"how long: 10s, 2m"`
	Rate        rate          `flag:"rate,r" alias:"-q,-R" value:"N[/UNIT]" help:"calls per second in all, on a schedule (open loop): 500, 0.2, 12/min; latency counts from when a call was due. hey's -q is per worker, this one is not"`
	Arrivals    string        `flag:"arrivals" value:"constant|poisson" default:"constant" choices:"constant|poisson" help:"how the calls of a rate are spaced"`
	Ramp        ramp          `flag:"ramp" value:"A..B[xF|+S]/TIME" help:"steps of concurrency, 1..64x2/10s, or of rate, rate=100..1000+100/10s; rate=0..500/30s rises without steps"`
	Timeout     time.Duration `flag:"timeout,t" alias:"max-time" value:"TIME" default:"20s" bare:"s" min:"0" help:"per call, from when it has its place on a connection; a bare number is seconds; 0 for none"`
	Connections int           `flag:"connections" value:"N" min:"1" max:"100000" help:"connections, opened before the clock starts; -c on HTTP/1.1, 1 where streams multiplex; under --rate on HTTP/1.1 -c or --max-inflight up to 1,000, 50 without either"`
	Streams     int           `flag:"streams" value:"N" min:"1" max:"1000000" help:"most streams per connection; the pipelining depth on HTTP/1.1"`
	MaxInflight int           `flag:"max-inflight" value:"N" min:"1" max:"1000000" help:"under --rate: most calls in flight; what is due beyond waits with its due time (65,536 when nothing is said)"`
	Warmup      warmup        `flag:"warmup" value:"TIME|N|auto" help:"time or number of calls before measuring, on top of -n and -z: 5s or 5000; auto: until latency and throughput keep their level"`
	WarmupMax   time.Duration `flag:"warmup-max" value:"TIME" default:"60s" min:"1s" help:"the longest that --warmup auto may take; what has not settled by then is measured all the same, and said so"`
	Think       think         `flag:"think" value:"[exp:]TIME" help:"pause of each caller between calls, fixed or exponential with that mean"`
	NoKeepAlive bool          `flag:"no-keepalive" help:"a connection per call"`
	Take        int           `flag:"take" value:"N" min:"1" max:"1000000000" help:"stop a stream after N messages: a success; over HTTP a message is a line of the answer, or an event"`
	Slow        rate          `flag:"slow-consumer" value:"N/UNIT" help:"take N messages of each stream per second, 100/s, and ask its server for more only as they are taken; what the server is ahead is told"`
	Stop        stop          `flag:"stop" value:"close|wait[=TIME]|drop" default:"close" help:"calls in flight at the end: cancel each, wait for them (5s), or drop their connections without a word; what is left is listed as unfinished"`
	Seed        uint64        `flag:"seed" value:"N" default:"1" help:"of everything random: arrivals, think times, order"`

	ExpectStatus statusList `flag:"expect-status" value:"200,404" help:"statuses that are a success; all others are failures"`
	Expect       expect     `flag:"expect" value:"'body contains X'" help:"what a good answer holds; others are failures: 'body contains X', 'body is X'"`

	ServerPID   int    `flag:"server-pid" value:"PID" min:"1" max:"4194304" help:"process of the server, for its CPU and memory"`
	ServerStats string `flag:"server-stats" value:"URL" help:"the admin URL that wiregauge serve prints, to check that no call was lost or invented"`

	search time.Duration // --find-max: rates are found, not given, and it takes that long at most
}

// open reports whether calls are due on a schedule.
func (o *LoadOptions) open() bool {
	return o.Rate.open() || o.search > 0 || o.Ramp.given() && o.Ramp.rate
}

// A rate is calls per second; max means a closed loop.
type rate struct {
	text      string
	perSecond *big.Rat
}

// slowest is the rate below which no run would see a second call.
var slowest = big.NewRat(1, 30*24*3600)

// Set reads "500", "0.2", "12/min", "2k", "max".
func (r *rate) Set(s string) error {
	if s == "max" {
		*r = rate{}
		return nil
	}
	want := &option.Want{Want: "calls per second above 0 such as 500, 2k, 0.2, 12/min, or max", Got: s}
	number, unit, _ := strings.Cut(s, "/")
	if n, err := option.ParseCount(number); err == nil {
		number = strconv.FormatInt(n, 10)
	}
	if unit != "" {
		number += "/" + unit
	}
	per, err := pace.ParseRate(number)
	if err != nil || per.Sign() <= 0 {
		return want
	}
	if per.Cmp(big.NewRat(1e9, 1)) > 0 {
		want.Want = "at most 1,000,000,000 calls per second"
		return want
	}
	if per.Cmp(slowest) < 0 {
		want.Want = "at least one call in 30 days"
		return want
	}
	*r = rate{text: s, perSecond: per}
	return nil
}

func (r *rate) String() string { return r.text }

func (r *rate) open() bool { return r.perSecond != nil }

// float is the rate for people and for limits, never for pacing.
func (r *rate) float() float64 {
	f, _ := r.perSecond.Float64()
	return f
}

// warmup is a time or a number of calls, or as long as it takes.
type warmup struct {
	auto  bool
	calls uint64
	time  time.Duration
}

// Set reads "5s", "5000" or "auto".
func (w *warmup) Set(s string) error {
	if s == "auto" {
		*w = warmup{auto: true}
		return nil
	}
	if n, err := option.ParseCount(s); err == nil {
		*w = warmup{calls: uint64(n)}
		return nil
	}
	d, err := option.ParseDuration(s, "")
	if err != nil {
		return &option.Want{Want: "a time such as 5s, a number of calls such as 5000, or auto", Got: s}
	}
	*w = warmup{time: d}
	return nil
}

func (w *warmup) String() string {
	switch {
	case w.auto:
		return "auto"
	case w.calls > 0:
		return strconv.FormatUint(w.calls, 10)
	case w.time > 0:
		return option.FormatDuration(w.time)
	}
	return ""
}

type think load.Think

// Set reads "5ms" or "exp:5ms".
func (t *think) Set(s string) error {
	text, exponential := strings.CutPrefix(s, "exp:")
	d, err := option.ParseDuration(text, "")
	if err != nil {
		return &option.Want{Want: "a time such as 5ms, or exp:5ms for exponential pauses of that mean", Got: s}
	}
	*t = think{Mean: d, Exponential: exponential}
	return nil
}

func (t *think) String() string {
	if t.Mean == 0 {
		return ""
	}
	if t.Exponential {
		return "exp:" + option.FormatDuration(t.Mean)
	}
	return option.FormatDuration(t.Mean)
}

// stop is what happens to calls in flight at the end.
type stop struct {
	mode  string
	grace time.Duration
}

// stopGrace is how long --stop=wait waits when nothing is said.
const stopGrace = 5 * time.Second

// Set reads "close", "drop", "wait" or "wait=2s".
func (s *stop) Set(text string) error {
	mode, grace, given := strings.Cut(text, "=")
	switch {
	case (mode == "close" || mode == "drop") && !given:
		*s = stop{mode: mode}
		return nil
	case mode == "wait" && !given:
		*s = stop{mode, stopGrace}
		return nil
	case mode == "wait":
		d, err := option.ParseDuration(grace, "")
		if err == nil && d > 0 {
			*s = stop{mode, d}
			return nil
		}
	}
	return &option.Want{Want: "close, wait, wait=2s or drop", Got: text}
}

func (s *stop) String() string {
	if s.grace > 0 && s.grace != stopGrace {
		return s.mode + "=" + option.FormatDuration(s.grace)
	}
	return s.mode
}
