package plant

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

func TestParse(t *testing.T) {
	every5, share20 := Often{every: 5}, Often{share: 0.2}
	rows := []struct {
		name, text string
		want       Plant
	}{
		{"nothing", "", Plant{}},
		{"spaces and empty items", " reset=/5 ,, size=1 ", Plant{Reset: every5, Size: 1}},
		{"a fixed delay", "delay=5ms", Plant{Delay: Law{kind: fixed, scale: 5 * ms}}},
		{"a fixed delay in words", "delay=fixed:5ms", Plant{Delay: Law{kind: fixed, scale: 5 * ms}}},
		{"exponential and a stall", "delay=exp:5ms,stall=1s/10s", Plant{Delay: Law{kind: exponential, scale: 5 * ms}, Stall: time.Second, Every: 10 * time.Second}},
		{"bimodal by share", "delay=bimodal:1ms:100ms:2%", Plant{Delay: Law{kind: bimodal, scale: ms, slow: 100 * ms, often: Often{share: 0.02}}}},
		{"bimodal by count", "delay=bimodal:1ms:100ms/50", Plant{Delay: Law{kind: bimodal, scale: ms, slow: 100 * ms, often: Often{every: 50}}}},
		{"Pareto", "delay=pareto:1.5:1ms", Plant{Delay: Law{kind: pareto, shape: 1.5, scale: ms}}},
		{"lognormal", "delay=lognormal:1ms:1", Plant{Delay: Law{kind: lognormal, shape: 1, scale: ms}}},
		{"a status", "status=503", Plant{Status: Often{every: 1}, Code: Code{HTTP: 503, GRPC: 14}}},
		{"every second, with a time of its own", "status=500/2@200ms", Plant{Status: Often{every: 2}, Code: Code{HTTP: 500, GRPC: 13}, StatusAfter: 200 * ms}},
		{"a share, by gRPC's name", "status=unavailable:20%", Plant{Status: share20, Code: Code{HTTP: 503, GRPC: 14}}},
		{"by gRPC's number", "status=8", Plant{Status: Often{every: 1}, Code: Code{HTTP: 429, GRPC: 8}}},
		{"resets, cuts, hangs, refusals", "reset=/5,cut=20%,hang,refuse=100%", Plant{Reset: every5, Cut: share20, Hang: Often{every: 1}, Refuse: Often{share: 1}}},
		{"sizes", "size=64kb", Plant{Size: 65536}},
		{"a slow body", "body=1ms:50ms:10", Plant{Body: SlowBody{ms, 50 * ms, 10}}},
		{"queues", "slots=4,usl=0.05:0.001,warm=10/20000,bucket=1000/s", Plant{Slots: 4, Sigma: .05, Kappa: .001, Warm: 10, WarmCalls: 20000, Bucket: 1000}},
		{"a code of RSocket's own", "status=0x301", Plant{Status: Often{every: 1}, Code: Code{HTTP: 500, GRPC: 13, own: 0x301}}},
		{"leases", "lease=100/1s", Plant{Lease: 100, LeaseFor: time.Second, LeaseEvery: time.Second}},
		{"leases with a gap", "lease=2/800ms/1s", Plant{Lease: 2, LeaseFor: 800 * ms, LeaseEvery: time.Second}},
		{"connections", "streams=100,age=300ms+1s,requests=1000,idle=1s,goaway=7", Plant{Streams: 100, Age: 300 * ms, Grace: time.Second, Requests: 1000, Idle: time.Second, GoAway: 7}},
		{"delays that are drawn, that step and that swing", "random=7,step=1.5/30000,wave=0.3/20s", Plant{Random: 7, Step: 1.5, StepCalls: 30000, Swing: .3, Wave: 20 * time.Second}},
		{"an age without grace", "age=1s", Plant{Age: time.Second}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := Parse(row.text)
			if err != nil || !reflect.DeepEqual(*got, row.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, row.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	rows := []struct{ text, want string }{
		{"dely=5ms", `no key "dely"; did you mean delay? The keys are delay, random, stall, slots`},
		{"zzzzzzzz=1", `no key "zzzzzzzz"; the keys are delay`},
		{"delay", `delay=: "" is not a time with its unit; write it like delay=5ms`},
		{"delay=5", `"5" is not a time with its unit`},
		{"delay=-5ms", `"-5ms" is not a time`},
		{"delay=uniform:5ms", `no law "uniform"; there are fixed, exp`},
		{"delay=bimodal:1ms:2ms", "how often it is slow"},
		{"delay=bimodal:1ms", "how often it is slow"},
		{"delay=bimodal:1ms:2ms:0%", "a share is above 0%"},
		{"delay=pareto:0:1ms", `"0" is not a number above 0`},
		{"delay=pareto:NaN:1ms", `"NaN" is not a number above 0`},
		{"stall=1s", "want how long and how often"},
		{"stall=10s/10s", "does not fit"},
		{"status=99", `"99" is no status`},
		{"status=600", `"600" is no status`},
		{"status=OK", `"OK" is no status`},
		{"status=503/0", `"0" is not a whole number above 0`},
		{"reset=5", `"5" is neither every nth (/5) nor a share (20%)`},
		{"reset=101%", "at most 100%"},
		{"hang=NaN%", "at most 100%"},
		{"size=-1", `"-1" is not a whole number`},
		{"size=2000mb", "above 1 GiB"},
		{"size=9223372036854775807kb", "above 1 GiB"},
		{"body=1ms:50ms", "number of chunks"},
		{"body=50ms:1ms:10", "1ms is before 50ms"},
		{"bucket=0/s", "not above 0"},
		{"warm=0/10", "not above 0"},
		{"step=2", "want a factor and a number"},
		{"wave=1/1s", "not below 1"},
		{"wave=0.5/0s", "not above 0"},
		{"usl=0.1", "want two numbers"},
		{"usl=-1:0", `"-1" is not a number of at least 0`},
		{"status=0x101", `"0x101" is no code of RSocket for one call`},
		{"status=0xg", `"0xg" is no code of RSocket`},
		{"lease=5", "want a number of requests and a time"},
		{"lease=0/1s", `"0" is not a whole number above 0`},
		{"lease=5/1s/500ms", "not followed by the next before its end"},
		{"lease=5/1us", "lives for at least 1ms"},
		{"reset,reset=/5", "reset is given twice"},
	}
	for _, row := range rows {
		t.Run(row.text, func(t *testing.T) {
			if _, err := Parse(row.text); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q in it", err, row.want)
			}
		})
	}
}

func TestOneRequestCannotChangeItsConnection(t *testing.T) {
	for _, text := range []string{"streams=1", "age=1s", "requests=1", "idle=1s", "goaway=1", "lease=1/1s"} {
		key, _, _ := strings.Cut(text, "=")
		if _, err := ParseCall("delay=1ms," + text); err == nil || !strings.Contains(err.Error(), key+" is for a whole server") {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if p, err := ParseCall("reset=/5"); err != nil || !p.PerCall() {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestExamplesAreGrammar(t *testing.T) {
	for _, k := range keys {
		for _, example := range strings.FieldsFunc(strings.ReplaceAll(k.example, " or ", ", "), func(r rune) bool { return r == ',' }) {
			example = strings.TrimSpace(example)
			if !strings.HasPrefix(example, k.name) {
				example = k.name + "=" + example
			}
			if _, err := Parse(example); err != nil {
				t.Errorf("the help of %s: %v", k.name, err)
			}
		}
		if !strings.Contains(Help(), k.doc) {
			t.Errorf("%s is not in the help", k.name)
		}
	}
}

// The quantiles that accuracy is judged by: p50, p90, p99 and p99.9 in ms.
func TestLawsHaveTheirQuantiles(t *testing.T) {
	rows := []struct {
		law  string
		want [4]float64
	}{
		{"exp:5ms", [4]float64{3.466, 11.513, 23.026, 34.539}},
		{"pareto:1.5:1ms", [4]float64{1.587, 4.642, 21.544, 100.0}},
		{"lognormal:1ms:1", [4]float64{1.000, 3.602, 10.240, 21.982}},
		{"bimodal:1ms:100ms:2%", [4]float64{1, 1, 100, 100}},
		{"bimodal:1ms:100ms/50", [4]float64{1, 1, 100, 100}},
		{"2ms", [4]float64{2, 2, 2, 2}},
	}
	const n = 100_000
	for _, row := range rows {
		t.Run(row.law, func(t *testing.T) {
			law, err := parseLaw(row.law)
			if err != nil {
				t.Fatal(err)
			}
			drawn := make([]time.Duration, n)
			for i := range drawn {
				drawn[i] = law.At(uint64(i))
			}
			slices.Sort(drawn)
			for i, p := range []float64{0.5, 0.9, 0.99, 0.999} {
				exact := float64(law.Quantile(p)) / 1e6
				got := float64(drawn[int(p*n)]) / 1e6
				if row.law != "2ms" && math.Abs(exact/row.want[i]-1) > 0.001 && !strings.HasPrefix(row.law, "bimodal") {
					t.Errorf("p%g: the formula gives %.3f, want %.3f", p*100, exact, row.want[i])
				}
				if math.Abs(got/row.want[i]-1) > 0.01 {
					t.Errorf("p%g of %d draws is %.3f, want %.3f", p*100, n, got, row.want[i])
				}
			}
		})
	}
}

func TestOften(t *testing.T) {
	rows := []struct {
		text string
		want int // of 10,000
	}{{"", 10_000}, {"/5", 2000}, {"20%", 2000}, {"1%", 100}, {"100%", 10_000}, {"/3", 3333}}
	for _, row := range rows {
		o, err := parseOften(row.text)
		if err != nil {
			t.Fatal(err)
		}
		hits := 0
		for n := range uint64(10_000) {
			if o.hits(n) {
				hits++
			}
		}
		if hits < row.want-2 || hits > row.want+2 {
			t.Errorf("%q hits %d of 10,000 calls, want %d", row.text, hits, row.want)
		}
	}
	var none Often
	if none.hits(0) || none.hits(4) {
		t.Error("the zero value hits")
	}
}

// record is a clock on which sleeping takes no time and is written down.
type record struct {
	now   time.Duration
	slept []time.Duration
}

func (r *record) Now() time.Duration { return r.now }
func (r *record) Sleep(ctx context.Context, d time.Duration) error {
	r.slept = append(r.slept, d)
	return ctx.Err()
}

func TestActsInOrder(t *testing.T) {
	rows := []struct{ name, plant, want string }{
		{"every fifth is reset", "reset=/5", "aaaaraaaar"},
		{"every second fails", "status=503/2", "afafafafaf"},
		{"a third hangs", "hang=/3", "aahaahaaha"},
		{"the worst of two wins", "status=503/2,refuse=/4,cut=/3", "afcRacaRcf"},
		{"a share", "reset=20%", "aaaaraaaaa"},
	}
	letters := map[Act]byte{Answer: 'a', Fail: 'f', Reset: 'r', Cut: 'c', Hang: 'h', Refuse: 'R'}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := planter(t, row.plant, &record{})
			var got []byte
			for range 10 {
				f, err := p.Call(t.Context(), p.Clock().Now())
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, letters[f.Act])
			}
			if string(got) != row.want {
				t.Errorf("ten calls: %s, want %s", got, row.want)
			}
		})
	}
}

func TestSleepsThatAreAsked(t *testing.T) {
	rows := []struct {
		name, plant string
		now         time.Duration
		want        []time.Duration // of three calls; calls without a sleep leave no trace
	}{
		{"no delay", "size=1", 0, nil},
		{"a fixed delay", "delay=5ms", 0, []time.Duration{5 * ms, 5 * ms, 5 * ms}},
		{"every second is slow", "delay=bimodal:1ms:9ms/2", 0, []time.Duration{ms, 9 * ms, ms}},
		{"before a stall", "delay=5ms,stall=1s/10s", 8999 * ms, []time.Duration{5 * ms, 5 * ms, 5 * ms}},
		{"at the start of a stall", "delay=5ms,stall=1s/10s", 9000 * ms, []time.Duration{1005 * ms, 1005 * ms, 1005 * ms}},
		{"at the end of a stall", "delay=5ms,stall=1s/10s", 39_999 * ms, []time.Duration{6 * ms, 6 * ms, 6 * ms}},
		{"failures have a time of their own", "delay=20ms,status=503/2", 0, []time.Duration{20 * ms, 20 * ms}},
		{"and may be late", "status=500/2@200ms", 0, []time.Duration{200 * ms}},
		{"a slow start", "delay=1ms,warm=100/2", 0, []time.Duration{100 * ms, 10 * ms, ms}},
		{"a step", "delay=2ms,step=1.5/1", 0, []time.Duration{2 * ms, 3 * ms, 3 * ms}},
		{"the top of a wave", "delay=10ms,wave=0.5/4s", time.Second, []time.Duration{15 * ms, 15 * ms, 15 * ms}},
		{"the bottom of a wave", "delay=10ms,wave=0.5/4s", 3 * time.Second, []time.Duration{5 * ms, 5 * ms, 5 * ms}},
		{"a queue", "delay=2ms,slots=1", 0, []time.Duration{2 * ms, 4 * ms, 6 * ms}},
		{"a queue behind a stall", "delay=5ms,slots=1,stall=1s/10s", 9 * time.Second, []time.Duration{1005 * ms, 1010 * ms, 1015 * ms}},
		{"refused calls wait for nothing", "delay=5ms,refuse", 0, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			clock := &record{now: row.now}
			p := planter(t, row.plant, clock)
			for range 3 {
				if _, err := p.Call(t.Context(), p.Clock().Now()); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(clock.slept, row.want) {
				t.Errorf("slept %v, want %v", clock.slept, row.want)
			}
		})
	}
}

func TestBucket(t *testing.T) {
	clock := &record{}
	p := planter(t, "bucket=1000/s", clock)
	passed := 0
	for i := range 4000 { // 2,000 calls a second for two seconds
		clock.now = time.Duration(i) * 500 * time.Microsecond
		f, err := p.Call(t.Context(), p.Clock().Now())
		if err != nil {
			t.Fatal(err)
		}
		if f.Act == Answer {
			passed++
		} else if f.Code.HTTP != 429 || f.Code.GRPC != 8 {
			t.Fatalf("the rest is answered %+v", f.Code)
		}
	}
	if passed < 2000 || passed > 2010 {
		t.Errorf("%d calls of 4,000 passed, want 2,000 and a bucket of 10", passed)
	}
}

// Ten calls at once on two slots of 10 ms each are done after 10, 10, 20, 20 … 50 ms.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planter(t, "slots=2,delay=10ms", realClock{start: time.Now()})
		start := time.Now()
		done := make(chan time.Duration, 10)
		for range 10 {
			go func() {
				if _, err := p.Call(t.Context(), p.Clock().Now()); err != nil {
					t.Error(err)
				}
				done <- time.Since(start)
			}()
		}
		for i := range 10 {
			if got, want := <-done, time.Duration(i/2+1)*10*ms; got != want {
				t.Errorf("call %d was done after %v, want %v", i, got, want)
			}
		}
	})
}

// Calls that are seen late are answered when they would have been: the time counts from their arrival.
func TestArrivalsOfThePast(t *testing.T) {
	clock := &record{now: 10 * ms}
	p := planter(t, "slots=1,delay=3ms", clock)
	for i, row := range []struct{ arrived, due time.Duration }{
		{5 * ms, 8 * ms}, {6 * ms, 11 * ms}, {20 * ms, 23 * ms},
	} {
		if f, err := p.Call(t.Context(), row.arrived); err != nil || f.Due != row.due {
			t.Errorf("call %d: due %v, %v; want %v", i, f.Due, err, row.due)
		}
	}
	if want := []time.Duration{ms, 13 * ms}; !slices.Equal(clock.slept, want) {
		t.Errorf("slept %v, want %v", clock.slept, want)
	}
}

// Drawn delays have their law and no memory: neighbours do not correlate, where evenly spread ones do.
func TestRandomDelays(t *testing.T) {
	p, err := Parse("delay=exp:1ms,random=1")
	if err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	var sum, squares, products, last float64
	for i := range uint64(n) {
		x := float64(p.delay(i))/1e6 - 1
		sum += x
		squares += x * x
		products += x * last
		last = x
	}
	mean, variance, correlation := sum/n, squares/n, products/squares
	if math.Abs(mean) > 0.02 || math.Abs(variance-1) > 0.05 || math.Abs(correlation) > 0.02 {
		t.Errorf("mean %.3f, variance %.3f, correlation %.3f; want 0, 1 and 0", mean, variance, correlation)
	}
}

// With a = 1 two calls at once take twice as long as one alone.
func TestContention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planter(t, "delay=10ms,usl=1:0", realClock{start: time.Now()})
		start := time.Now()
		done := make(chan time.Duration, 2)
		go func() { p.Call(t.Context(), p.Clock().Now()); done <- time.Since(start) }()
		synctest.Wait()
		go func() { p.Call(t.Context(), p.Clock().Now()); done <- time.Since(start) }()
		if a, b := <-done, <-done; a != 10*ms || b != 20*ms {
			t.Errorf("done after %v and %v, want 10ms and 20ms", a, b)
		}
	})
}

func TestCallsCanBeAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planter(t, "slots=1,delay=1h", realClock{start: time.Now()})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 2)
		for range 2 {
			go func() { _, err := p.Call(ctx, p.Clock().Now()); failed <- err }()
		}
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
		if free := p.schedule.free[0]; free != 2*time.Hour {
			t.Errorf("the slot is free after %v: calls that are given up keep their places, want 2h", free)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, k := range keys {
		f.Add(k.example)
	}
	f.Add("delay=exp:5ms,stall=1s/10s,status=503/2@1ms")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		p, err := Parse(text)
		if err != nil {
			return
		}
		for n := range uint64(3) {
			if d := p.Delay.At(n); d < 0 {
				t.Errorf("%q: a delay of %v", text, d)
			}
			if f := p.factor(n, int(n)+1, time.Duration(n)); !(f >= 0) || math.IsInf(f, 0) {
				t.Errorf("%q: a factor of %v", text, f)
			}
		}
	})
}

func planter(t *testing.T, text string, clock Clock) *Planter {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return New(p, clock)
}

func TestCodesOfRSocket(t *testing.T) {
	for text, want := range map[string]uint32{
		"503": 0x202, "UNAVAILABLE": 0x202, "RESOURCE_EXHAUSTED": 0x202, "499": 0x203, "400": 0x204, "500": 0x201, "NOT_FOUND": 0x201, "0xdeadbeef": 0xdeadbeef,
	} {
		if c, err := parseCode(text); err != nil || c.RSocket() != want {
			t.Errorf("%s: got 0x%x, %v; want 0x%x", text, c.RSocket(), err, want)
		}
	}
}
