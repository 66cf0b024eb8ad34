package plant

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A key is one word of the grammar: how it is written, what it does, and how its value is read.
type key struct {
	name, example, doc string
	set                func(p *Plant, value string) error
}

// keys is the grammar, in the order in which help lists it. WHEN is nothing (always), /N (every Nth call) or P%.
var keys = []key{
	{"delay", "delay=5ms, exp:5ms, bimodal:1ms:100ms:2%, bimodal:1ms:100ms/50, pareto:1.5:1ms or lognormal:1ms:1",
		"how long each answer takes: fixed, exponential by mean, two values, Pareto by shape and minimum, lognormal by median and sigma",
		func(p *Plant, v string) (err error) { p.Delay, err = parseLaw(v); return err }},
	{"random", "random=7", "delays are drawn from that seed, each by itself, not evenly spread: what a queue needs",
		intKey(func(p *Plant) *int { return &p.Random })},
	{"stall", "stall=1s/10s", "nothing is answered for the last 1s of every 10s", setStall},
	{"slots", "slots=4", "calls served at once; the others wait in order", intKey(func(p *Plant) *int { return &p.Slots })},
	{"usl", "usl=0.05:0.001", "the delay grows with the N calls being served: 1 + a(N-1) + bN(N-1)", setUSL},
	{"warm", "warm=10/20000", "the delay is 10 times as long at first and comes down over 20000 calls", setWarm},
	{"step", "step=1.5/30000", "the delay is 1.5 times as long from call 30000 on", setStep},
	{"wave", "wave=0.3/20s", "the delay swings by 30 % up and down, once in 20s", setWave},
	{"bucket", "bucket=1000/s", "calls above that rate answer 429", setBucket},
	{"status", "status=503, status=503/2, status=UNAVAILABLE:20%, status=503/2@200ms or status=0x301",
		"calls that fail with that status, at once or after a time of their own", setStatus},
	{"reset", "reset, reset=/5 or reset=20%", "calls reset after they were read", oftenKey(func(p *Plant) *Often { return &p.Reset })},
	{"cut", "cut, cut=/5 or cut=20%", "calls reset inside the body of their answer", oftenKey(func(p *Plant) *Often { return &p.Cut })},
	{"hang", "hang, hang=/100 or hang=1%", "calls never answered", oftenKey(func(p *Plant) *Often { return &p.Hang })},
	{"refuse", "refuse=/5 or refuse=20%", "HTTP/2 and gRPC: streams refused unread (REFUSED_STREAM); RSocket: REJECTED",
		oftenKey(func(p *Plant) *Often { return &p.Refuse })},
	{"size", "size=1000 or size=64kb", "bytes added to each answer", setSize},
	{"body", "body=1ms:50ms:10", "the head comes after 1ms, the body in 10 chunks up to 50ms", setBody},
	{"streams", "streams=100", "MAX_CONCURRENT_STREAMS", intKey(func(p *Plant) *int { return &p.Streams })},
	{"age", "age=300ms+1s", "connections are aged out after 300ms; gRPC calls in flight may finish within 1s", setAge},
	{"requests", "requests=1000", "a connection is asked to go away after that many calls", intKey(func(p *Plant) *int { return &p.Requests })},
	{"idle", "idle=1s", "idle connections are closed", durationKey(func(p *Plant) *time.Duration { return &p.Idle })},
	{"goaway", "goaway=1000", "HTTP/2 and gRPC: every so many calls a GOAWAY whose last id is below streams already received",
		intKey(func(p *Plant) *int { return &p.GoAway })},
	{"lease", "lease=100/1s or lease=2/800ms/1s", "RSocket: each connection may make 100 requests a second; or 2, within 800ms, of every second", setLease},
}

func lookup(name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

// Keys lists the words of the grammar.
func Keys() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// Help explains the grammar, a line per key.
func Help() string {
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%s\n    %s\n", k.example, k.doc)
	}
	return b.String()
}

func intKey(field func(*Plant) *int) func(*Plant, string) error {
	return func(p *Plant, v string) (err error) { *field(p), err = positive(v); return err }
}

func oftenKey(field func(*Plant) *Often) func(*Plant, string) error {
	return func(p *Plant, v string) (err error) { *field(p), err = parseOften(v); return err }
}

func durationKey(field func(*Plant) *time.Duration) func(*Plant, string) error {
	return func(p *Plant, v string) (err error) { *field(p), err = duration(v); return err }
}

func setStall(p *Plant, v string) (err error) {
	stall, every, ok := strings.Cut(v, "/")
	if !ok {
		return errors.New("want how long and how often")
	}
	if p.Stall, err = duration(stall); err != nil {
		return err
	}
	if p.Every, err = duration(every); err != nil {
		return err
	}
	if p.Stall >= p.Every {
		return fmt.Errorf("a stall of %v does not fit into every %v", p.Stall, p.Every)
	}
	return nil
}

func setUSL(p *Plant, v string) (err error) {
	a, b, ok := strings.Cut(v, ":")
	if !ok {
		return errors.New("want two numbers")
	}
	if p.Sigma, err = number(a); err != nil {
		return err
	}
	p.Kappa, err = number(b)
	return err
}

func setWarm(p *Plant, v string) (err error) {
	factor, calls, ok := strings.Cut(v, "/")
	if !ok {
		return errors.New("want a factor and a number of calls")
	}
	if p.Warm, err = number(factor); err != nil {
		return err
	}
	if p.Warm <= 0 {
		return errors.New("the factor is not above 0")
	}
	p.WarmCalls, err = positive(calls)
	return err
}

func setStep(p *Plant, v string) (err error) {
	factor, calls, ok := strings.Cut(v, "/")
	if !ok {
		return errors.New("want a factor and a number of calls")
	}
	if p.Step, err = number(factor); err != nil {
		return err
	}
	p.StepCalls, err = positive(calls)
	return err
}

func setWave(p *Plant, v string) (err error) {
	swing, period, ok := strings.Cut(v, "/")
	if !ok {
		return errors.New("want a share and a time")
	}
	if p.Swing, err = number(swing); err != nil {
		return err
	}
	if p.Swing >= 1 {
		return errors.New("the share is not below 1")
	}
	if p.Wave, err = duration(period); err == nil && p.Wave == 0 {
		err = errors.New("the time is not above 0")
	}
	return err
}

func setBucket(p *Plant, v string) (err error) {
	if p.Bucket, err = number(strings.TrimSuffix(v, "/s")); err == nil && p.Bucket <= 0 {
		err = errors.New("the rate is not above 0")
	}
	return err
}

func setStatus(p *Plant, v string) (err error) {
	v, after, timed := strings.Cut(v, "@")
	if timed {
		if p.StatusAfter, err = duration(after); err != nil {
			return err
		}
	}
	code, often := v, ""
	if i := strings.IndexAny(v, "/:"); i >= 0 {
		code, often = v[:i], strings.TrimPrefix(v[i:], ":")
	}
	if p.Code, err = parseCode(code); err != nil {
		return err
	}
	p.Status, err = parseOften(often)
	return err
}

func setSize(p *Plant, v string) (err error) {
	unit := 1
	for suffix, n := range map[string]int{"kb": 1 << 10, "mb": 1 << 20} {
		if rest, ok := strings.CutSuffix(strings.ToLower(v), suffix); ok {
			v, unit = rest, n
		}
	}
	n, err := positive(v)
	if err == nil && n > (1<<30)/unit {
		err = errors.New("that is above 1 GiB")
	}
	p.Size = n * unit
	return err
}

func setBody(p *Plant, v string) (err error) {
	parts := strings.Split(v, ":")
	if len(parts) != 3 {
		return errors.New("want the first and the last moment and a number of chunks")
	}
	if p.Body.First, err = duration(parts[0]); err != nil {
		return err
	}
	if p.Body.Last, err = duration(parts[1]); err != nil {
		return err
	}
	if p.Body.Last < p.Body.First {
		return fmt.Errorf("%v is before %v", p.Body.Last, p.Body.First)
	}
	p.Body.Chunks, err = positive(parts[2])
	return err
}

func setLease(p *Plant, v string) (err error) {
	parts := strings.Split(v, "/")
	if len(parts) != 2 && len(parts) != 3 {
		return errors.New("want a number of requests and a time")
	}
	if p.Lease, err = positive(parts[0]); err != nil {
		return err
	}
	if p.LeaseFor, err = duration(parts[1]); err != nil {
		return err
	}
	if p.LeaseEvery = p.LeaseFor; len(parts) == 3 {
		p.LeaseEvery, err = duration(parts[2])
	}
	if err == nil && (p.LeaseFor < time.Millisecond || p.LeaseEvery < p.LeaseFor) {
		err = errors.New("a lease lives for at least 1ms and is not followed by the next before its end")
	}
	return err
}

func setAge(p *Plant, v string) (err error) {
	age, grace, ok := strings.Cut(v, "+")
	if ok {
		if p.Grace, err = duration(grace); err != nil {
			return err
		}
	}
	p.Age, err = duration(age)
	return err
}

// positive reads a whole number above 0.
func positive(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a whole number above 0", v)
	}
	return n, nil
}

// number reads a finite number of at least 0.
func number(v string) (float64, error) {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= 0) || x > 1e12 {
		return 0, fmt.Errorf("%q is not a number of at least 0", v)
	}
	return x, nil
}

// duration reads a time of at least 0 with its unit.
func duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a time with its unit", v)
	}
	return d, nil
}
