package result

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
)

// turn has n OK calls of 1 to 2 ms and as many failures of 200 ms as failed.
func turn(n, failed int64, window time.Duration) Turn {
	t := Turn{
		Arm: "a", Window: window, Latency: new(hist.Histogram), FailedLatency: new(hist.Histogram),
		Counts:          Counts{Due: n + failed, Sent: n + failed, OK: n, Failed: failed, Messages: n},
		CompletedInside: n, FinishedInside: n + failed,
		Statuses: []Status{{Status: 200, Name: "200", Count: n, OK: true}},
		Client:   CPU{User: time.Duration(n) * 1000, System: time.Duration(n) * 2000, Cores: 2, RSS: 1 << 20},
		Host:     HostLoad{Steal: 0.01, Foreign: -1},
		Strips:   []Strip{{OK: n, Failed: failed, Due: n + failed}},
	}
	for i := range n {
		t.Latency.Record(time.Millisecond + time.Duration(i)*time.Millisecond/time.Duration(n))
	}
	t.FailedLatency.RecordN(200*time.Millisecond, failed)
	if failed > 0 {
		t.Errors = []ErrorClass{{Class: "500", Stage: "answer", Count: failed, First: time.Second, Last: window, Examples: []string{"oh, \"no\"\n"}}}
	}
	return t
}

// filled is a file with something in every part.
func filled() *File {
	f := NewFile("comparison")
	one, two := turn(2000, 10, 2*time.Second), turn(1000, 0, time.Second)
	one.Server, two.Server = &CPU{User: time.Second, Cores: 1}, &CPU{User: time.Second, Cores: 1}
	one.Warm = &Counts{Due: 5, Sent: 5, OK: 5}
	one.MessageGap = one.Latency
	one.Connections = Connections{Asked: 1, Opened: 1, Ended: map[string]int64{"goaway": 1}, Addrs: []string{"127.0.0.1:1"}}
	a := Merge([]Turn{one, two}, []float64{50, 99, 99.99})
	a.ServerStats = &ServerStats{URL: "http://127.0.0.1:1/stats", Received: 3010, Answered: 3010, Conserve: "ok"}
	a.Steps = []Step{NewStep("c=1", one)}
	asked := 1000.0
	a.AskedRate = &asked
	f.Arms = []Arm{a}
	f.Turns = []Row{NewRow(one), NewRow(two)}
	ratio := 1.2
	f.Fair = &Fair{Checks: []FairCheck{{Name: "TLS", Passed: true}}}
	f.Verdicts = []Verdict{{Metric: "rate", A: "a", B: "b", Outcome: "faster", Ratio: &ratio, Unit: "launch"}}
	f.Gates = []Gate{{Expr: "p99<50ms", Value: &ratio, Passed: true}}
	f.Trust.Reasons = []Reason{{Code: "V3", Measured: "97 %"}}
	f.Labels = map[string]string{"commit": "abc"}
	return f
}

func TestMergeSumsAndNeverAverages(t *testing.T) {
	slow := turn(1000, 0, time.Second)
	slow.Latency = new(hist.Histogram)
	slow.Latency.RecordN(100*time.Millisecond, 1000)
	a := Merge([]Turn{turn(3000, 20, 2*time.Second), slow}, []float64{50, 99})
	if a.OK != 4000 || a.Failed != 20 || a.Latency.N != 4000 || a.FailedLatency.N != 20 {
		t.Errorf("ok %d, failed %d, histograms %d and %d", a.OK, a.Failed, a.Latency.N, a.FailedLatency.N)
	}
	if a.Window != int64(3*time.Second) || a.AchievedRate != 1340 || a.Goodput != 4000.0/3 {
		t.Errorf("window %d, rate %v, goodput %v", a.Window, a.AchievedRate, a.Goodput)
	}
	// One turn's p99 is 2 ms, the other's 100 ms; of all 4,000 calls a quarter took 100 ms.
	if got := *a.Latency.Percentiles[1].NS; got < int64(99_900*time.Microsecond) {
		t.Errorf("p99 = %v, want that of all calls", time.Duration(got))
	}
	if got := *a.Latency.Percentiles[0].NS; got > int64(2*time.Millisecond) {
		t.Errorf("p50 = %v", time.Duration(got))
	}
	if a.Strips[1].At != 2*time.Second {
		t.Errorf("the second turn's strip is at %v", a.Strips[1].At)
	}
	if a.Host.Steal != 0.01 || a.Host.Foreign != -1 {
		t.Errorf("host %+v, want what could be read", a.Host)
	}
}

func TestMergeKeepsErrorsBounded(t *testing.T) {
	var turns []Turn
	for i := range 400 {
		x := turn(1, 0, time.Second)
		x.Errors = []ErrorClass{{Class: strings.Repeat("c", i%150+1), Stage: "read", Count: 1, First: 0, Last: 0,
			Examples: []string{strings.Repeat("é", 4000), strings.Repeat("x", i)}}}
		turns = append(turns, x)
	}
	a := Merge(turns, nil)
	if len(a.Errors) > maxErrorClasses+1 {
		t.Errorf("%d classes", len(a.Errors))
	}
	var sum int64
	for _, e := range a.Errors {
		sum += e.Count
		if len(e.Examples) > maxExamples {
			t.Errorf("%d examples", len(e.Examples))
		}
		for _, text := range e.Examples {
			if len(text) > maxExample || strings.ContainsRune(text, '\ufffd') {
				t.Errorf("an example of %d bytes, or one cut inside a character", len(text))
			}
		}
	}
	if sum != 400 {
		t.Errorf("%d errors, want all 400", sum)
	}
}

func TestMergeMovesErrorTimesToTheArmsClock(t *testing.T) {
	a := Merge([]Turn{turn(1, 0, 5*time.Second), turn(1, 2, 2*time.Second)}, nil)
	if e := a.Errors[0]; e.First != 6*time.Second || e.Last != 7*time.Second {
		t.Errorf("first %v, last %v", e.First, e.Last)
	}
}

func TestMergeLeavesInvalidTurnsOutWhileAnyIsValid(t *testing.T) {
	bad := turn(50, 0, time.Second)
	bad.Invalid = "a process died"
	if a := Merge([]Turn{turn(10, 0, time.Second), bad}, nil); a.OK != 10 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "a process died") {
		t.Errorf("ok %d, notes %v", a.OK, a.Notes)
	}
	if a := Merge([]Turn{bad}, nil); a.OK != 50 {
		t.Errorf("nothing valid: ok %d, want what there is", a.OK)
	}
}

func TestMergeOfNothingIsEmptyAndFinite(t *testing.T) {
	a := Merge(nil, nil)
	if a.AchievedRate != 0 || a.Goodput != 0 || a.Latency.Min != nil || a.Latency.Mean != nil || a.Latency.Max != nil {
		t.Errorf("%+v", a.Latency)
	}
	for _, p := range a.Latency.Percentiles {
		if p.NS != nil {
			t.Errorf("p%v of nothing = %d", p.P, *p.NS)
		}
	}
}

func TestPercentilesAreToldOnlyWithTenBeyond(t *testing.T) {
	for _, c := range []struct {
		name        string
		p           float64
		n           int64
		told, few   bool
		needs, past int64
	}{
		{"p99.9 of 9,999 has 9 beyond", 99.9, 9_999, false, false, 10_000, 9},
		{"p99.9 of 10,000 has 10 beyond", 99.9, 10_000, true, true, 0, 10},
		{"p99.9 of 100,000 is plain", 99.9, 100_000, true, false, 0, 100},
		{"p50 of 19 has 9 beyond", 50, 19, false, false, 20, 9},
		{"p50 of 20", 50, 20, true, true, 0, 10},
		{"p99 of 1,000", 99, 1000, true, true, 0, 10},
		{"p100 can have none beyond", 100, 1000, false, false, 0, 0},
		{"nothing at all", 50, 0, false, false, 20, 0},
	} {
		h := new(hist.Histogram)
		h.RecordN(time.Millisecond, c.n)
		got := NewPercentile(h, c.p)
		if (got.NS != nil) != c.told || got.Few != c.few || got.Needs != c.needs || got.Beyond != c.past {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestConservation(t *testing.T) {
	good := Counts{Due: 10, Unsent: 1, Sent: 9, OK: 6, Failed: 2, TimedOut: 1, Unfinished: 1}
	if err := good.Check(); err != nil {
		t.Errorf("good counts: %v", err)
	}
	for _, c := range []struct {
		name   string
		change func(*Counts)
		want   string
	}{
		{"a call that was due vanished", func(c *Counts) { c.Due++ }, "due 11 is not unsent 1 + sent 9"},
		{"a call that was sent vanished", func(c *Counts) { c.OK-- }, "sent 9 is not ok 5"},
		{"more timed out than failed", func(c *Counts) { c.TimedOut = 3 }, "timed out 3"},
		{"a count below 0", func(c *Counts) { c.Unfinished, c.OK = -1, 8 }, "below 0"},
	} {
		bad := good
		c.change(&bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestFilesComeBackAsTheyWere(t *testing.T) {
	f := filled()
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, text.Bytes()) {
		t.Error("a file changed on its way out and in")
	}
	if !reflect.DeepEqual(back.Arms[0].Latency.Hist.Buckets(), f.Arms[0].Latency.Hist.Buckets()) {
		t.Error("the histogram changed")
	}
	for _, p := range []float64{1, 37.5, 99} {
		if got, want := back.Arms[0].Latency.Percentile(p), f.Arms[0].Latency.Percentile(p); !reflect.DeepEqual(got, want) {
			t.Errorf("p%v = %+v, want %+v", p, got, want)
		}
	}
}

func TestNumbersThatAreNotFiniteBecomeNull(t *testing.T) {
	f := filled()
	nan, inf := math.NaN(), math.Inf(-1)
	f.Verdicts[0].Ratio, f.Verdicts[0].Low = &nan, &inf
	f.Arms[0].Goodput, f.Arms[0].AskedRate = math.Inf(1), &nan
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"ratio": null`, `"ci_low": null`, `"goodput": 0`, `"asked_rate": null`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
}

func TestSharesThatCouldNotBeReadAreNull(t *testing.T) {
	for _, c := range []struct {
		load HostLoad
		want string
	}{
		{HostLoad{Steal: -1, Foreign: -1}, `{"steal_share":null,"foreign_share":null}`},
		{HostLoad{Steal: 0, Foreign: 0.25}, `{"steal_share":0,"foreign_share":0.25}`},
	} {
		text, err := json.Marshal(c.load)
		if err != nil || string(text) != c.want {
			t.Errorf("%+v is %s (%v), want %s", c.load, text, err, c.want)
		}
		var back HostLoad
		if err := json.Unmarshal(text, &back); err != nil || back != c.load {
			t.Errorf("%s comes back as %+v (%v)", text, back, err)
		}
	}
}

func TestListsAreNeverNull(t *testing.T) {
	text, err := (&File{Kind: "run", Arms: []Arm{{}}}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"command": []`, `"statuses": []`, `"errors": []`, `"reasons": []`, `"percentiles": []`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestReadRefusesInWords(t *testing.T) {
	good, err := filled().JSON()
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string {
		s := strings.Replace(string(good), old, new, 1)
		if s == string(good) {
			t.Fatalf("no %q to change", old)
		}
		return s
	}
	for _, c := range []struct {
		name, text, want string
		kind             error
	}{
		{"an empty file", "", "it is empty", ErrTruncated},
		{"white space", " \n", "it is empty", ErrTruncated},
		{"half of a file", string(good[:len(good)/2]), "was it copied whole?", ErrTruncated},
		{"text", "hello\nworld", "no JSON at line 1", ErrForeign},
		{"JSON of another tool", `{"date":"2026","options":{}}`, `expected "schema": "wiregauge.result/v1"`, ErrForeign},
		{"another schema", `{"schema":"other/v1"}`, `"schema" is "other/v1"; expected`, ErrForeign},
		{"a newer version", `{"schema":"wiregauge.result/v2"}`, "use a newer wiregauge", ErrNewer},
		{"a number", "42", "the JSON is a number", ErrForeign},
		{"a list of something else", "[1]", "result 1 of 1", ErrForeign},
		{"a schema that is no string", `{"schema":5}`, `"schema"`, nil},
		{"no arms", `{"schema":"wiregauge.result/v1","arms":[]}`, "no arms", nil},
		{"a word in place of a number", change(`"ok": 3000`, `"ok": "many"`), `field "arms.ok" holds a string; expected a number`, nil},
		{"counts that do not fit the histogram", change(`"n": 3000`, `"n": 2999`), "arms[0].latency: the histogram holds 3000 values and n says 2999", nil},
		{"a damaged histogram", change(`"hdr_v2": "`, `"hdr_v2": "!`), "arms[0].latency: not an HdrHistogram", nil},
		{"a page without data", "<!DOCTYPE html><p>hi", "without the data block", ErrForeign},
		{"a page cut off", "<!DOCTYPE html>" + DataBlockOpen + "H4sI", "inside the report's data block", ErrTruncated},
		{"a page with damaged data", DataBlockOpen + "!!</script>", "data block is damaged", nil},
		{"gzip cut off", "\x1f\x8b\x08\x00", "gzip", ErrTruncated},
		{"a list without results", "[]", "the list is empty", ErrForeign},
		{"a count below 0", change(`"ok": 3000`, `"ok": -3`), "arms[0]: a number of calls or the time is below 0", nil},
		{"a number beyond 64 bits", change(`"ok": 3000`, `"ok": 1e400`), `field "arms.ok" holds 1e400; expected a number that fits 64 bits`, nil},
		{"two results where one is wanted", "[" + string(good) + "," + string(good) + "]", "holds 2 results; expected one", nil},
	} {
		_, err := Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestReadTakesWhatReportsHoldAndFieldsOfLater(t *testing.T) {
	good, err := filled().JSON()
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(good)
	z.Close()
	page := "<!DOCTYPE html><body>" + DataBlockOpen + base64.StdEncoding.EncodeToString(zipped.Bytes()) + "</script></body>"
	var m map[string]any
	if err := json.Unmarshal(good, &m); err != nil {
		t.Fatal(err)
	}
	m["later"] = map[string]any{"x": 1}
	later, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"JSON": string(good), "with a byte order mark": "\ufeff" + string(good), "gzip": zipped.String(),
		"a page": page, "with fields of later": string(later)} {
		f, err := Read(strings.NewReader(text))
		if err != nil || f.Arms[0].OK != 3000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewFileSaysWhereItComesFrom(t *testing.T) {
	f := NewFile("run")
	if f.Schema != Schema || len(f.ID) != 8 || f.Created.IsZero() || f.Tool.Go == "" || f.Host.CPUs < 1 || f.Host.OS == "" || f.Trust.Level != "unchecked" {
		t.Errorf("%+v", f)
	}
	if other := NewFile("run"); other.ID == f.ID {
		t.Error("two files of one id")
	}
}

func TestRowsAndStepsFollowTheRuleOfPercentiles(t *testing.T) {
	few, many := turn(500, 0, time.Second), turn(2000, 0, time.Second)
	if r := NewRow(few); r.P50 == nil || r.P99 != nil || *r.CPU != 3000 || r.Rate != 500 {
		t.Errorf("500 calls: %+v", r)
	}
	if r := NewRow(many); r.P99 == nil {
		t.Error("2,000 calls have no p99")
	}
	if s := NewStep("c=2", few); s.Label != "c=2" || s.Goodput != 500 || s.P99 != nil {
		t.Errorf("%+v", s)
	}
	if r := NewRow(Turn{}); r.CPU != nil || r.P50 != nil || r.Rate != 0 {
		t.Errorf("an empty turn: %+v", r)
	}
}

func FuzzRead(f *testing.F) {
	good, err := filled().JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"schema":"wiregauge.result/v1","arms":[{}]}`))
	f.Add([]byte(DataBlockOpen + "H4sI</script>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if _, err := file.JSON(); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}
