package truth

import (
	"math"
	"time"

	"wiregauge/lab/plant"
)

const ms = time.Millisecond

// usual are the percentiles of loads of 10,000 calls and more; fewer calls carry fewer.
var (
	usual = []float64{50, 90, 99, 99.9}
	fewer = []float64{50, 90, 99}
)

// cases are the planted servers of the accuracy bench. Delays that are not drawn at random follow a golden-ratio sequence,
// so that any stretch of calls has the quantiles of the law.
var cases = []Case{
	{"S1", "every answer takes 2 ms", "delay=2ms", []Load{
		open(2000, 5*time.Second, Truth{Latency: always(2 * ms), Tested: usual}),
		closed(4, 5*time.Second, Truth{Latency: always(2 * ms), Tested: usual, Goodput: 2000}),
	}},
	{"S2", "5 ms, and a freeze of 1 s every 10 s", "delay=5ms,stall=1s/10s", []Load{
		open(200, 10*time.Second, Truth{Latency: stalled, Tested: []float64{50, 75, 95, 99}}),
		closed(10, 10*time.Second, Truth{Latency: stalledCallers, Tested: []float64{50, 75, 90, 95, 99}, Goodput: 1801}),
	}},
	{"S2b", "the same, one call at a time", "delay=5ms,stall=1s/10s,slots=1", []Load{
		open(100, 10*time.Second, Truth{Latency: stalledQueue, Tested: []float64{50, 75, 90, 95, 99}}),
	}},
	{"S3", "98 % take 1 ms, 2 % take 100 ms", "delay=bimodal:1ms:100ms/50", []Load{
		open(2000, 5*time.Second, Truth{Latency: bimodal, Tested: []float64{50, 75, 90, 99, 99.9}}),
		closed(10, 5*time.Second, Truth{Latency: bimodal, Tested: []float64{50, 75, 90, 99, 99.9}, Goodput: 10 / 0.00298}),
	}},
	{"S4", "exponential, mean 5 ms", "delay=exp:5ms", []Load{
		open(2000, 5*time.Second, Truth{Latency: law("exp:5ms"), Tested: usual}),
		closed(10, 5*time.Second, Truth{Latency: law("exp:5ms"), Tested: usual, Goodput: 2000}),
	}},
	{"S5", "Pareto, 1.5, from 1 ms", "delay=pareto:1.5:1ms", []Load{
		open(2000, 5*time.Second, Truth{Latency: law("pareto:1.5:1ms"), Tested: usual}),
	}},
	{"S6", "lognormal, median 1 ms, sigma 1", "delay=lognormal:1ms:1", []Load{
		open(2000, 5*time.Second, Truth{Latency: law("lognormal:1ms:1"), Tested: usual}),
	}},
	{"S7", "every 5th call is reset after it was read", "reset=/5", []Load{
		open(500, 4*time.Second, Truth{Failed: 0.2}),
		counted(closed(10, time.Second, Truth{Failed: 0.2})),
	}},
	{"S7b", "every 5th call is reset inside its answer", "cut=/5", []Load{
		counted(closed(10, time.Second, Truth{Failed: 0.2})),
	}},
	{"S7c", "every 5th stream is refused (HTTP/2, gRPC)", "refuse=/5", []Load{
		counted(closed(10, time.Second, Truth{Failed: 0.2})),
	}},
	{"S7d", "a GOAWAY below streams already sent, every 1,000 calls (HTTP/2, gRPC)", "goaway=1000", []Load{
		counted(closed(10, time.Second, Truth{})),
	}},
	{"S8", "every 100th call is never answered, the rest after 5 ms; calls time out after 1 s", "delay=5ms,hang=/100", []Load{
		timed(open(500, 6*time.Second, Truth{Latency: always(5 * ms), Tested: fewer, Failed: 0.01})),
		timed(closed(10, 15*time.Second, Truth{Latency: always(5 * ms), Tested: fewer, Failed: 0.01, Goodput: 0.99 * 10 / (0.99*0.005 + 0.01)})),
	}},
	{"S9", "every 2nd call is a fast 503, the rest take 20 ms", "delay=20ms,status=503/2", []Load{
		open(400, 6*time.Second, Truth{Latency: always(20 * ms), Tested: fewer, Failed: 0.5, Goodput: 200}),
	}},
	{"S10", "one slot, exponential service of 1 ms (M/M/1)", "slots=1,delay=exp:1ms,random=1", []Load{
		poisson(500, 10*time.Second, Truth{Latency: func(p float64) time.Duration { return MM1(500, ms, p) }, Tested: fewer, Chance: true}),
		poisson(800, 13*time.Second, Truth{Latency: func(p float64) time.Duration { return MM1(800, ms, p) }, Tested: usual, Chance: true}),
		closed(10, 10*time.Second, Truth{Latency: func(p float64) time.Duration { return Erlang(10, ms, p) }, Tested: fewer, Chance: true, Goodput: 1000}),
	}},
	{"S11", "one slot, service of exactly 1 ms (M/D/1)", "slots=1,delay=1ms", []Load{
		poisson(500, 10*time.Second, Truth{Latency: func(p float64) time.Duration { return MD1(500, ms, p) }, Tested: []float64{90, 99}, Chance: true}),
		poisson(800, 13*time.Second, Truth{Latency: func(p float64) time.Duration { return MD1(800, ms, p) }, Tested: usual, Chance: true}),
		open(800, 10*time.Second, Truth{Latency: always(ms), Tested: fewer}),
		closed(4, 10*time.Second, Truth{Latency: always(4 * ms), Tested: fewer, Goodput: 1000}),
	}},
	{"S12", "four slots, service of exactly 2 ms", "slots=4,delay=2ms", []Load{
		open(1900, 5*time.Second, Truth{Latency: always(2 * ms), Tested: fewer}),
		poisson(1600, 10*time.Second, Truth{Latency: simulated(4, 2*ms, 1600), Tested: usual, Chance: true}),
		closed(8, 5*time.Second, Truth{Latency: always(4 * ms), Tested: fewer, Goodput: 2000}),
	}},
	{"S13", "10 ms that grow with the calls being served (USL, sigma 0.05, kappa 0.001)", "delay=10ms,usl=0.05:0.001",
		contended(1, 2, 4, 8, 16, 32, 64)},
	{"S14", "10 ms at first, 1 ms after 20,000 calls", "delay=1ms,warm=10/20000", []Load{
		open(2000, 20*time.Second, Truth{}),
	}},
	{"S14b", "1 ms, and 1.5 ms from call 30,000 on", "delay=1ms,step=1.5/30000", []Load{
		open(2000, 20*time.Second, Truth{}),
	}},
	{"S14c", "a sine of 20 % around 2 ms that never settles", "delay=2ms,wave=0.2/8s", []Load{
		open(2000, 20*time.Second, Truth{}),
	}},
	{"S15", "the head after 1 ms, the body in 10 chunks up to 50 ms", "body=1ms:50ms:10", []Load{
		open(200, 6*time.Second, Truth{Latency: always(50 * ms), Tested: fewer, FirstByte: ms}),
	}},
	{"S16", "20 ms, at most 100 streams on a connection (HTTP/2, gRPC)", "delay=20ms,streams=100", []Load{
		single(open(4000, 4*time.Second, Truth{Latency: always(20 * ms), Tested: fewer})),
		single(closed(1000, 4*time.Second, Truth{Latency: always(200 * ms), Tested: []float64{50}, Goodput: 5000})),
	}},
	{"S17", "429 above 1,000 calls/s", "bucket=1000/s", []Load{
		open(2000, 5*time.Second, Truth{Failed: 0.5, Goodput: 1000}),
	}},
	{"S18", "nothing planted: when the kernel saw each call arrive", "delay=0s", []Load{
		open(1000, 5*time.Second, Truth{}),
		open(10_000, 5*time.Second, Truth{}),
		poisson(1000, 5*time.Second, Truth{}),
	}},
}

func open(rate float64, d time.Duration, t Truth) Load {
	return Load{Rate: rate, Duration: d, Truth: t}
}

func poisson(rate float64, d time.Duration, t Truth) Load {
	return Load{Rate: rate, Poisson: true, Duration: d, Truth: t}
}

func closed(callers int, d time.Duration, t Truth) Load {
	return Load{Callers: callers, Duration: d, Truth: t}
}

func timed(l Load) Load { l.Timeout = time.Second; return l }

func counted(l Load) Load { l.Calls = 5000; return l }

func single(l Load) Load { l.Single = true; return l }

func contended(callers ...int) []Load {
	var loads []Load
	for _, n := range callers {
		each := Contended(10*ms, 0.05, 0.001, n)
		loads = append(loads, closed(n, 3*time.Second, Truth{Latency: always(each), Tested: []float64{50}, Goodput: float64(n) / each.Seconds()}))
	}
	return loads
}

func always(d time.Duration) func(float64) time.Duration {
	return func(float64) time.Duration { return d }
}

func law(text string) func(float64) time.Duration {
	p, err := plant.Parse("delay=" + text)
	if err != nil {
		panic(err) // a typo in this file; a test goes through all of them
	}
	return p.Delay.Quantile
}

func bimodal(p float64) time.Duration { return twoValues(ms, 100*ms, 0.02, p) }

func stalled(p float64) time.Duration { return Stall(5*ms, time.Second, 10*time.Second, p) }

func stalledQueue(p float64) time.Duration {
	return StallQueue(5*ms, time.Second, 10*time.Second, 0.5, p)
}

// stalledCallers: in each period a caller has 1,800 calls of 5 ms and one that waits for the whole stall.
func stalledCallers(p float64) time.Duration { return twoValues(5*ms, 1005*ms, 1.0/1801, p) }

// simulated keeps a simulation of 400,000 calls, made at its first use.
func simulated(k int, d time.Duration, rate float64) func(float64) time.Duration {
	var stay []time.Duration
	return func(p float64) time.Duration {
		if stay == nil {
			stay = MDk(k, d, rate, 400_000, 1)
		}
		return NearestRank(stay, math.Min(p, 1)*100)
	}
}
