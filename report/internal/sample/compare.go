package sample

import (
	"math"
	"math/rand/v2"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

type armSpec struct {
	name, url, protocol string
	perTurn             int64
	median              time.Duration
	sent, received      result.Bytes // per call
	cpu, server         time.Duration
	floor               bool
}

var specs = []armSpec{
	{"rest", "http://127.0.0.1:8080/v1/inventory:check", "HTTP/1.1", 1960, 1500 * time.Microsecond,
		result.Bytes{Body: 30, Headers: 170}, result.Bytes{Body: 31, Headers: 110}, 22 * time.Microsecond, 41 * time.Microsecond, false},
	{"rest-h2", "h2c://127.0.0.1:8081/v1/inventory:check", "HTTP/2", 2300, 1300 * time.Microsecond,
		result.Bytes{Body: 30, Framing: 18, Headers: 24}, result.Bytes{Body: 31, Framing: 18, Headers: 30}, 9 * time.Microsecond, 52 * time.Microsecond, false},
	{"grpc", "grpc://127.0.0.1:8082/inv.v1.Inventory/Check", "gRPC", 4280, 700 * time.Microsecond,
		result.Bytes{Body: 9, Framing: 23, Headers: 14}, result.Bytes{Body: 8, Framing: 32, Headers: 12}, 5 * time.Microsecond, 30 * time.Microsecond, false},
	{"tcp", "tcp://127.0.0.1:8083", "TCP echo", 9000, 300 * time.Microsecond,
		result.Bytes{Body: 9, Framing: 4}, result.Bytes{Body: 9, Framing: 4}, 3 * time.Microsecond, 6 * time.Microsecond, true},
}

// Comparison is a demo: four arms, 8 launches of 5 rounds of 0.2 s, gRPC ahead.
func Comparison() *result.File { return comparison(8, 5, specs, calm) }

// Large is a comparison of six arms over ten launches, the size a report is budgeted for.
func Large() *result.File {
	six := append([]armSpec{}, specs...)
	for _, name := range []string{"grpc-go", "rest-go"} {
		extra := specs[2]
		extra.name, extra.median = name, extra.median+time.Duration(len(name))*50*time.Microsecond
		six = append(six, extra)
	}
	return comparison(10, 40, six, noisy)
}

// A weather changes one turn of an arm, always in the same way.
type weather func(t *result.Turn, seed int)

func calm(*result.Turn, int) {}

// noisy gives a turn a tail of its own, as turns on a busy machine have.
func noisy(t *result.Turn, seed int) {
	chance := rand.New(rand.NewPCG(uint64(seed), 1))
	was := t.Latency
	t.Latency = new(hist.Histogram)
	shift := 0.8 + 0.5*chance.Float64()
	for _, b := range was.Buckets() {
		t.Latency.RecordN(time.Duration(float64(b.Value)*shift), b.Count)
	}
	for range 40 {
		d := time.Duration(float64(2*time.Millisecond) * math.Exp(1.2*chance.NormFloat64()))
		t.Latency.Record(d)
		t.OK, t.Due, t.Sent, t.CompletedInside, t.FinishedInside = t.OK+1, t.Due+1, t.Sent+1, t.CompletedInside+1, t.FinishedInside+1
	}
	t.Service, t.FirstByte = t.Latency, t.Latency
	s := &t.Strips[0]
	s.OK, s.Due = t.OK, t.Due
	s.P50, s.P99, s.Max = new(t.Latency.Percentile(50)), new(t.Latency.Percentile(99)), new(t.Latency.Max())
	s.FillLevels(t.Latency)
	t.Client.User += time.Duration(chance.IntN(int(t.Client.User)))
}

func comparison(launches, rounds int, specs []armSpec, weather weather) *result.File {
	f := file("comparison")
	f.Title = "Inventory check: REST vs gRPC"
	f.Labels = map[string]string{"demo": "true"}
	f.Plan = result.Plan{Loop: "closed", Concurrency: 16, Launches: launches, Rounds: rounds, Turn: int64(200 * time.Millisecond), Seed: 42,
		Baseline: "rest", Percentiles: result.DefaultPercentiles, Contract: "inventory.proto", Payload: "one message of 30 bytes of JSON"}
	f.Command = []string{"wiregauge", "demo"}
	for k, spec := range specs {
		var turns []result.Turn
		for l := range launches {
			for r := range rounds {
				t := spec.turn(l, r)
				t.Place = (k + l + r) % len(specs)
				weather(&t, 1000*k+50*l+r)
				turns = append(turns, t)
				f.Turns = append(f.Turns, result.NewRow(t))
			}
		}
		a := result.Merge(turns, result.DefaultPercentiles)
		a.Strips = result.FewerStrips(a.Strips, result.MaxArmStrips)
		a.URL, a.Protocol, a.Client, a.Baseline, a.Floor = spec.url, spec.protocol, "wire", k == 0, spec.floor
		f.Arms = append(f.Arms, a)
		if k > 0 && !spec.floor {
			f.Verdicts = append(f.Verdicts, verdicts(f.Arms[0], a, launches)...)
		}
	}
	f.Fair = &result.Fair{
		Checks: []result.FairCheck{{Name: "request", Passed: true, Detail: "the same message"}, {Name: "reply", Passed: true, Detail: "the same message"},
			{Name: "TLS", Passed: true, Detail: "off in all"}, {Name: "calls in flight", Passed: true, Detail: "16 in all"}},
		Differ: []string{"codec: json, json, protobuf", "connections: 16, 1, 1"},
	}
	return f
}

// turn is one turn of an arm; launches and rounds differ a little, always in the same way.
func (s armSpec) turn(launch, round int) result.Turn {
	wobble := 1 + 0.02*math.Sin(float64(launch*7+round*3)) + 0.01*math.Sin(float64(len(s.name)*launch))
	n := int64(float64(s.perTurn) * wobble)
	t := Turn(s.name, n, 200*time.Millisecond, time.Duration(float64(s.median)/wobble))
	t.Launch, t.Round = launch, round
	t.Strips = []result.Strip{Strip(0, 0, n, 0, time.Duration(float64(s.median)/wobble), "")}
	t.SentBytes, t.RecvBytes = times(s.sent, n), times(s.received, n)
	t.Client = result.CPU{User: s.cpu * time.Duration(n) / 2, System: s.cpu * time.Duration(n) / 2, Cores: 2, RSS: 30 << 20}
	t.Server = &result.CPU{User: s.server * time.Duration(n) * 2 / 3, System: s.server * time.Duration(n) / 3, Cores: 2, RSS: 20 << 20}
	t.Connections = result.Connections{Asked: 16}
	return t
}

func times(b result.Bytes, n int64) result.Bytes {
	b = result.Bytes{Body: b.Body * n, Framing: b.Framing * n, Headers: b.Headers * n}
	b.Wire = b.Body + b.Framing + b.Headers
	return b
}

func verdicts(base, a result.Arm, launches int) []result.Verdict {
	make := func(metric string, ratio, half float64, primary bool) result.Verdict {
		v := result.Verdict{Metric: metric, A: base.Name, B: a.Name, Outcome: "inconclusive", Ratio: &ratio, Primary: primary,
			Alpha: 0.05, Limit: 0.01, Band: 0.02, Confidence: "LOW", Unit: "launch", Units: launches, Agree: launches}
		low, high, p := ratio-half, ratio+half, 0.0004
		v.Low, v.High, v.P, v.PAdjusted = &low, &high, &p, &p
		switch {
		case !primary:
			v.Outcome, v.Confidence, v.P, v.PAdjusted = "", "", nil, nil
		case low > 1.01:
			v.Outcome, v.Confidence = "faster", "MEDIUM"
		}
		return v
	}
	perCall := func(a result.Arm) float64 { return float64(a.SentBytes.Wire+a.RecvBytes.Wire) / float64(a.Sent) }
	ratio := perCall(base) / perCall(a)
	return []result.Verdict{
		make("rate", a.Goodput/base.Goodput, 0.08, true),
		make("p50", float64(*base.Latency.Percentiles[0].NS)/float64(*a.Latency.Percentiles[0].NS), 0.1, false),
		make("p99", float64(*base.Latency.Percentiles[2].NS)/float64(*a.Latency.Percentiles[2].NS), 0.3, false),
		make("cpu", float64(base.ClientCPU.Total())/float64(base.OK)/(float64(a.ClientCPU.Total())/float64(a.OK)), 0.1, false),
		{Metric: "bytes", A: base.Name, B: a.Name, Ratio: &ratio, Band: 0.02, Unit: "launch"},
	}
}

// NotFair is a comparison whose arms did not do the same work.
func NotFair() *result.File {
	f := comparison(1, 20, specs[:2], calm)
	f.Fair.Checks[1] = result.FairCheck{Name: "reply", Detail: "rest answers 12 fields, rest-h2 answers 11"}
	f.Fair.Checks[2] = result.FairCheck{Name: "compression", Passed: true, Unknown: true, Detail: "rest could not be asked"}
	for i := range f.Verdicts {
		if f.Verdicts[i].Primary {
			f.Verdicts[i].Outcome, f.Verdicts[i].Confidence = "not_fair", ""
		}
	}
	return f
}

// OneLaunch is a comparison of targets that were already running elsewhere: one arm was limited by the client, and
// the p99 says nothing.
func OneLaunch() *result.File {
	f := comparison(1, 20, specs[:3], calm)
	f.Labels = nil
	f.Plan.Loop, f.Plan.Rate, f.Plan.Arrivals, f.Plan.Concurrency = "open", "2000/s", "poisson", 0
	for i := range f.Arms {
		asked := 2000.0
		f.Arms[i].AskedRate = &asked
		f.Arms[i].URL = "grpc://10.0.0.7:50051/inv.v1.Inventory/Check"
	}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		v.Unit, v.Units, v.Agree = "round", 20, 19
		if v.Metric == "p99" {
			v.Primary, v.Outcome, v.Confidence, v.Reasons = true, "inconclusive", "LOW", []string{"40 to 90 rounds in all, started again with --rounds"}
		}
	}
	f.Verdicts[0].AtLeast = true
	f.Notes = []string{"one launch only: a difference may belong to this launch; give start commands for several"}
	f.Gates = []result.Gate{{Expr: "p99<50ms", Words: "fails when p99 is 50 ms or more", Arm: "grpc", Unit: "ns", Passed: true},
		{Expr: "errors<0.1%", Words: "fails when errors are 0.1 % or more", Unit: "ratio"},
		{Expr: "p99.99<1s", Words: "fails when p99.99 is 1 s or more", Unit: "ns", Unknown: "too few calls"}}
	p99, share := 1.78e6, 0.02
	f.Gates[0].Value, f.Gates[1].Value = &p99, &share
	f.Partial = true
	return f
}
