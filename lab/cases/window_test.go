package cases

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/casesvc"
)

// K07: warm-up leaves the window, not only the count. Slow, 5 calls after a warm-up of 5, one at a time: 5 counted
// calls over the time in which they ran, about 9.9/s and not the half of it.
func TestWarmupLeavesTheWindow(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		got := measure(t, exitOK, "run", s.URL(w.scheme, "Slow"), "-d", `{"id":1}`, "--warmup", "5", "-n", "5", "-c", "1", "--client", w.client)
		exactly(t, got, s.Calls("Slow")-5, 5)
		a := got.arm()
		if a.Warm == nil || a.Warm.OK != 5 || a.Warm.Due != 5 {
			t.Errorf("warm-up %+v", a.Warm)
		}
		// Five calls one after the other are the window, but for what the client does between them.
		window, busy := time.Duration(a.Window), 5*time.Duration(*a.Latency.Mean)
		if rate := 5 / window.Seconds(); window < busy*999/1000 || a.AchievedRate < rate*0.999 || a.AchievedRate > rate*1.001 {
			t.Errorf("%v/s in a window of %v, in which calls took %v", a.AchievedRate, window, busy)
		}
		says(t, got.stdout, "5 calls before the measured window, in none of these numbers: 5 ok, 0 failed")
		t.Logf("%.3g/s over %v; the calls took %v", a.AchievedRate, window, busy)
	})
}

// K19: percentiles stay inside the data, with every list of percentiles that can be asked for, in every output.
func TestPercentilesStayInsideTheData(t *testing.T) {
	t.Parallel()
	s := svc(t, casesvc.Options{})
	for _, list := range []string{"50", "0.1,1,5,10,25,50,75,90", "1,2,3,4,5,6,7,8,9,10,50,89,90", "50,90,99,99.9,99.99,99.999"} {
		for _, w := range everyWay {
			t.Run(list+" "+w.String(), func(t *testing.T) {
				t.Parallel()
				got := measure(t, exitOK, "run", s.URL(w.scheme, "Slow"), "-d", `{"id":1}`, "-n", "100", "-c", "100", "--percentiles", list, "--client", w.client)
				a := got.arm()
				for name, d := range distributions(a) {
					inOrder(t, name, d)
				}
				if len(a.Latency.Percentiles) != strings.Count(list, ",")+1 {
					t.Errorf("percentiles %+v, asked for %s", a.Latency.Percentiles, list)
				}
				low, high := *a.Latency.Min, *a.Latency.Max
				r := got.records(t, "arm")[0]
				for _, p := range strings.Split(list, ",") {
					text, there := r["p"+p+"_ns"]
					x, err := strconv.ParseFloat(p, 64)
					if !there || err != nil {
						t.Errorf("CSV has no column p%s_ns (%v)", p, err)
						continue
					}
					told := a.Latency.Percentile(x)
					if text == "" {
						if told.NS != nil || told.Beyond >= 10 {
							t.Errorf("CSV p%s is missing with %d calls beyond", p, told.Beyond)
						}
						continue
					}
					v, err := strconv.ParseInt(text, 10, 64)
					exact := int64(a.Latency.Hist.AtRank(100 - told.Beyond))
					if err != nil || v < low || v > high || v != *told.NS || v != exact {
						t.Errorf("CSV p%s is %s, in data from %d to %d; JSON %v, by rank %d", p, text, low, high, *told.NS, exact)
					}
				}
				inTables(t, got, low, high)
				got.noSentinel(t)
			})
		}
	}
}

// inTables checks that every time of the row "from due, ok" lies in the data, to the digits that are printed.
func inTables(t *testing.T, got told, low, high int64) {
	t.Helper()
	for _, format := range tableFormats {
		seen := 0
		for _, c := range got.cells(t, format, "from due, ok") {
			d, ok := duration(c)
			if !ok {
				continue
			}
			seen++
			if float64(d) < float64(low)*0.99 || float64(d) > float64(high)*1.01 {
				t.Errorf("%s: %q is outside of %v to %v", format, c, time.Duration(low), time.Duration(high))
			}
		}
		if seen < 2 {
			t.Errorf("%s has no times in its latency table", format)
		}
	}
}

// K22: calls in flight at the deadline. A server hangs on a few calls: those are unfinished with their ages, apart
// from OK and failed, and the tables say that they do not contain them.
func TestCallsInFlightAtTheDeadline(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s, urls := serve(t, plainPlant("hang=/20"))
		got := measure(t, exitOK, "run", urls[w.scheme+" hello"], "-d", `{"greeting":"x"}`, "-z", "1s", "-c", "10", "--connections", "10", "--client", w.client, "--server-stats", s.AdminURL())
		a := got.arm()
		if a.OK == 0 || a.Failed != 0 || a.Unfinished == 0 || a.Unfinished > 10 || a.Ages.N != a.Unfinished || a.Latency.N != a.OK {
			t.Fatalf("%+v, %d ages, %d latencies", a.Counts, a.Ages.N, a.Latency.N)
		}
		if server := s.Stats(); server.Received < a.OK || server.Received > a.Sent || a.ServerStats.Conserve != "ok" {
			t.Errorf("%+v, the server counts %+v", a.Counts, server)
		}
		for _, format := range tableFormats {
			cells := got.cells(t, format, "age of unfinished")
			if n := cells[len(cells)-1]; n != fmt.Sprint(a.Unfinished) {
				t.Errorf("%s: %q, want %d calls", format, cells, a.Unfinished)
			}
			if age, ok := duration(cells[len(cells)-3]); !ok || age <= 0 {
				t.Errorf("%s: the oldest is %q", format, cells)
			}
			says(t, got.formats[format], "The latency tables do not contain these calls.", "every call due")
		}
		says(t, got.headline(t), fmt.Sprintf("%d unfinished", a.Unfinished))
		if r := got.records(t, "arm")[0]; r["unfinished"] != fmt.Sprint(a.Unfinished) {
			t.Errorf("CSV unfinished %q", r["unfinished"])
		}
		t.Logf("%d ok, %d unfinished, the oldest for %v", a.OK, a.Unfinished, ns(a.Ages.Max))
	})
}
