package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"wiregauge/internal/option"
)

func TestPointsOfASweep(t *testing.T) {
	for _, c := range []struct {
		name string
		o    SweepOptions
		want string
	}{
		{"none", SweepOptions{}, ""},
		{"a list of callers", SweepOptions{Users: "50,100,1k"}, "c=50; c=100; c=1000"},
		{"doubling", SweepOptions{Users: "1..16x2"}, "c=1; c=2; c=4; c=8; c=16"},
		{"steps and a value", SweepOptions{Users: "10..30+10,64"}, "c=10; c=20; c=30; c=64"},
		{"rates", SweepOptions{Rates: "0.5,100,10k"}, "0.5/s; 100/s; 10,000/s"},
		{"sizes", SweepOptions{Sizes: "100,1kb,64kb,2mb"}, "100 B; 1 kB; 64 kB; 2 MB"},
		{"callers times sizes", SweepOptions{Users: "1,8", Sizes: "100,1kb"}, "c=1, 100 B; c=1, 1 kB; c=8, 100 B; c=8, 1 kB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			points, err := c.o.points(option.Bind(nil, &runOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, p := range points {
				labels = append(labels, p.label())
			}
			if got := strings.Join(labels, "; "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSweepsThatCannotBe(t *testing.T) {
	url := "http://127.0.0.1:1/"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a word":                     {[]string{"run", url, "--users", "many"}, `--users wants a list`},
		"nobody":                     {[]string{"run", url, "--users", "0,1"}, `got "0"`},
		"a range without a step":     {[]string{"run", url, "--users", "1..8"}, `got "1..8"`},
		"a range that does not grow": {[]string{"run", url, "--users", "1..8x1"}, "--users wants a list"},
		"a point twice":              {[]string{"run", url, "--users", "8,8"}, "names a point twice"},
		"too many":                   {[]string{"run", url, "--users", "1..1000+1"}, "more than anyone reads"},
		"callers and rates":          {[]string{"run", url, "--users", "8", "--rates", "8"}, "one at a time"},
		"callers and -c":             {[]string{"run", url, "--users", "8", "-c", "8"}, "-c and --rate do not go with it"},
		"a rate of nothing":          {[]string{"run", url, "--rates", "0"}, "--rates wants a list"},
		"sizes beside data":          {[]string{"run", url, "--sizes", "8", "-d", "x"}, "--size-field"},
		"a field of what is none":    {[]string{"run", url, "--sizes", "8", "--size-field", "a", "-d", "[1]"}, "a JSON object"},
		"a field of a strange kind":  {[]string{"run", url, "--sizes", "8", "--size-field", "a:hex"}, "NAME or NAME:bytes"},
		"a field without sizes":      {[]string{"run", url, "--size-field", "a"}, "give the sizes"},
		"a ramp":                     {[]string{"run", url, "--users", "8", "--ramp", "1..4x2/1s"}, "one of them"},
		"a verdict at no point":      {[]string{"compare", "a=" + url, "b=" + url, "--users", "8,16", "--verdict-at", "9", "--dry-run"}, "c=9 is no point of the sweep"},
		"a verdict without a sweep":  {[]string{"compare", "a=" + url, "b=" + url, "--verdict-at", "9", "--dry-run"}, "there is none"},
		"a ramp in compare":          {[]string{"compare", "a=" + url, "b=" + url, "--ramp", "1..8x2/10s"}, "--users 1..512x2"},
	} {
		t.Run(name, func(t *testing.T) {
			if s := invoke(t, c.args...); s.code != exitUsage || !strings.Contains(s.stderr, c.want) {
				t.Errorf("exit %d, want %q\n%s", s.code, c.want, s.stderr)
			}
		})
	}
}

func TestSizedData(t *testing.T) {
	for _, c := range []struct {
		name, data, field string
		size              int64
	}{
		{"the whole body", "", "", 1000}, {"a new field", "", "payload", 100},
		{"a field of data", `{"id":12345678901234567890,"payload":"x"}`, "payload", 64000}, {"bytes", `{"id":1}`, "payload:bytes", 99},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := sized([]byte(c.data), c.field, c.size)
			if err != nil {
				t.Fatal(err)
			}
			payload := text
			if c.field != "" {
				var object struct {
					ID      json.Number `json:"id"`
					Payload string      `json:"payload"`
				}
				if err := json.Unmarshal([]byte(text), &object); err != nil {
					t.Fatal(err)
				}
				payload = object.Payload
				if strings.Contains(c.data, "12345678901234567890") && object.ID != "12345678901234567890" {
					t.Errorf("the id became %s", object.ID)
				}
			}
			if strings.HasSuffix(c.field, ":bytes") {
				raw, err := base64.StdEncoding.DecodeString(payload)
				if err != nil {
					t.Fatal(err)
				}
				payload = string(raw)
			}
			if int64(len(payload)) != c.size {
				t.Errorf("%d bytes, want %d", len(payload), c.size)
			}
		})
	}
}

// lengths is a server that remembers how long the bodies were.
func lengths(t *testing.T) (url string, seen func() map[int]int) {
	var mu sync.Mutex
	count := map[int]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		count[len(body)]++
		mu.Unlock()
		w.Write([]byte("ok"))
	}))
	t.Cleanup(s.Close)
	return s.URL, func() map[int]int { mu.Lock(); defer mu.Unlock(); return count }
}

func TestRunOverSizesAndUsers(t *testing.T) {
	url, seen := lengths(t)
	f, s := measured(t, exitGate, "run", url, "--users", "1,4", "--sizes", "10,1kb", "-n", "40", "--fail-if", "errors<1%", "--fail-if", "bytes<500")
	if f.Kind != "run" || len(f.Sweep) != 4 || len(f.Arms) != 1 || f.Sweep[0].Label != "c=1, 10 B" || f.Sweep[3].Payload != 1000 {
		t.Fatalf("%+v", f.Sweep)
	}
	for _, p := range f.Sweep {
		if len(p.Arms) != 1 || p.Arms[0].Rate <= 0 || p.Arms[0].Errors != 0 {
			t.Errorf("point %+v", p)
		}
	}
	if got := seen(); got[10] != 80 || got[1000] != 80 || len(got) != 2 {
		t.Errorf("bodies by length: %v, want 80 of 10 and 80 of 1000", got)
	}
	passed := map[string]bool{}
	for _, g := range f.Gates {
		passed[g.Arm+" "+g.Expr] = g.Passed
	}
	if len(f.Gates) != 8 || !passed["c=1, 10 B bytes<500"] || passed["c=4, 1 kB bytes<500"] {
		t.Errorf("gates %+v\n%s", f.Gates, s.stderr)
	}
	if !strings.Contains(s.stderr, "sweep: 4 points from c=1, 10 B to c=4, 1 kB") {
		t.Errorf("it was not said:\n%s", s.stderr)
	}
}

func TestRunOverRates(t *testing.T) {
	url, _ := lengths(t)
	f, _ := measured(t, exitOK, "run", url, "--rates", "100,200", "-n", "20")
	if len(f.Sweep) != 2 || f.Sweep[1].Rate != 200 || f.Plan.Loop != "open" || f.Arms[0].AskedRate == nil || *f.Arms[0].AskedRate != 200 {
		t.Errorf("%+v of %+v", f.Sweep, f.Plan)
	}
}

func TestCompareOverUsers(t *testing.T) {
	a, b := answering(t, 0, 200, "x"), answering(t, 0, 200, "x")
	f, s := measured(t, exitOK, "compare", "a="+a, "b="+b, "--users", "1,2,4", "--verdict-at", "2", "--rounds", "3", "--turn", "30ms", "--warmup", "10")
	if len(f.Sweep) != 3 || f.Plan.Concurrency != 2 || played(f) != 3 {
		t.Fatalf("%d points; the file is that of -c %d", len(f.Sweep), f.Plan.Concurrency)
	}
	for _, p := range f.Sweep {
		if (len(p.Verdicts) > 0) != (p.Concurrency == 2) || len(p.Arms) != 2 {
			t.Errorf("point %+v", p)
		}
	}
	if !strings.Contains(s.stderr, "sweep: 3 points from c=1 to c=4, 1 with a verdict, one launch at each of the others") {
		t.Errorf("it was not said:\n%s", s.stderr)
	}
	f, _ = measured(t, exitOK, "compare", "a="+a, "b="+b, "--sizes", "10,100", "--rounds", "2", "--turn", "20ms", "--warmup", "10", "-c", "1")
	if len(f.Sweep) != 2 || len(f.Verdicts) != 0 || f.Sweep[1].Payload != 100 || !f.Fair.OK() {
		t.Errorf("sizes: %+v, verdicts %+v", f.Sweep, f.Verdicts)
	}
}

func TestTheDryRunOfASweep(t *testing.T) {
	url, seen := lengths(t)
	code, out, stderr := compareWith(t, context.Background(), "a="+url, "b="+url, "--users", "1..4x2", "--verdict-at", "4", "--dry-run")
	if code != exitOK || len(seen()) != 0 || !strings.Contains(out, "point      c=4  with a verdict") || !strings.Contains(out, "sweep        3 points") {
		t.Errorf("exit %d after %v\n%s%s", code, seen(), out, stderr)
	}
}

// Letters without a pattern compress as badly at any size.
func TestTheFillerIsTheSameForEveryArm(t *testing.T) {
	if a, b := letters(1000), letters(2000); !strings.HasPrefix(b, a) || len(bytes.Split([]byte(a), []byte("ab"))) > 10 {
		t.Errorf("%.40s…, %.40s…", a, b)
	}
}
