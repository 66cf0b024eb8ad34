package cases

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiregauge/lab"
	"wiregauge/lab/casesvc"
	"wiregauge/lab/plant"
)

// K08: low rates and short runs. (a) 1/s, 3 calls: due at 0, 1 and 2 s. (b) 1/s for 500 ms: one call, at 0. (c) 0.2/s
// and 12/min, 2 calls: legal, 5 s apart.
func TestLowRates(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		args  []string
		due   int64
		span  time.Duration // from the first due time to the last
		words string
	}{
		{"three calls at 1/s", []string{"-r", "1", "-n", "3"}, 3, 2 * time.Second, "Met the rate"},
		{"500 ms at 1/s", []string{"-r", "1", "-z", "500ms"}, 1, 0, "Sent one call"},
		{"two calls at 0.2/s", []string{"-r", "0.2", "-n", "2"}, 2, 5 * time.Second, "Met the rate"},
		{"two calls at 12/min", []string{"-r", "12/min", "-n", "2"}, 2, 5 * time.Second, "Met the rate"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			eachWay(t, everyWay, func(t *testing.T, w way) {
				s := svc(t, casesvc.Options{})
				got := measure(t, exitOK, append([]string{"run", s.URL(w.scheme, "Echo"), "-d", `{"id":1}`, "--client", w.client}, row.args...)...)
				exactly(t, got, s.Calls("Echo"), row.due)
				if a := got.arm(); time.Duration(a.Window) < row.span {
					t.Errorf("a window of %v; the last call is due at %v", time.Duration(a.Window), row.span)
				}
				if got.arm().Limited == "" { // on a busy machine the rate may be missed, and then that is said
					says(t, got.headline(t), row.words)
				}
				t.Logf("took %v, latency up to %v", time.Duration(got.arm().Window), ns(got.arm().Latency.Max))
			})
		})
	}
	t.Run("a rate of 0 is refused", func(t *testing.T) {
		s := svc(t, casesvc.Options{})
		for _, rate := range []string{"0", "0/s", "-1", "0/min", "NaN", "Inf"} {
			got := wg(t, "", "run", s.URL("grpc", "Echo"), "-r", rate, "-n", "1")
			if got.code != exitUsage || s.Calls("Echo") != 0 {
				t.Errorf("-r %s: exit %d, %d calls\n%s", rate, got.code, s.Calls("Echo"), got.stderr)
			}
		}
	})
}

// K09: overload in an open loop. Slow, 100/s, at most one call in flight, 20 calls: latency counts from the due time,
// service time stands beside it, and the first lines say what was asked, what was achieved, and why.
func TestOverload(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		got := measure(t, exitOK, "run", s.URL(w.scheme, "Slow"), "-d", `{"id":1}`, "-r", "100", "--max-inflight", "1", "-n", "20", "--client", w.client)
		exactly(t, got, s.Calls("Slow"), 20)
		a := got.arm()
		if a.Limited != "inflight" || *a.AskedRate != 100 || a.AchievedRate > 10.01 {
			t.Errorf("asked %v, achieved %v, limited by %q", *a.AskedRate, a.AchievedRate, a.Limited)
		}
		// Call k is due at k x 10 ms and cannot be answered before (k+1) x 100 ms, however noisy the machine is.
		for k := range int64(20) {
			least := time.Duration(100+90*k) * time.Millisecond
			if got := a.Latency.Hist.AtRank(k + 1); got < least*999/1000 {
				t.Errorf("call %d took %v from its due time, want %v or more", k, got, least)
			}
		}
		says(t, got.headline(t), "Asked 100 calls/s, achieved", "the limit on calls in flight held calls back")
		for _, format := range tableFormats {
			due, service := got.cells(t, format, "from due, ok"), got.cells(t, format, "service, ok")
			long, ok1 := duration(due[len(due)-3])
			short, ok2 := duration(service[len(service)-2])
			if !ok1 || !ok2 || long < 1810*time.Millisecond || short < 100*time.Millisecond || short > long/2 {
				t.Errorf("%s: slowest from due %q, mean service %q", format, due[len(due)-3], service[len(service)-2])
			}
		}
		t.Logf("p50 %v, max %v, service %v; %.3g/s", a.Latency.Hist.AtRank(10), ns(a.Latency.Max), ns(a.Service.Mean), a.AchievedRate)
	})
}

// K17: an absurd rate does not make absurd results. 10,000,000/s, 1,000 connections: the achieved rate is finished
// calls over the measured time, not above what the server counted; asked, sent, unsent and the reason are told.
func TestAbsurdRate(t *testing.T) {
	for _, w := range []way{{"http", "wire"}, {"http", "stack"}} {
		t.Run(w.String(), func(t *testing.T) {
			s := svc(t, casesvc.Options{})
			got := measure(t, exitOK, "run", s.URL("http", "Echo"), "-d", `{}`, "-r", "10000000", "--connections", "1000", "-z", "1s", "--client", w.client)
			a := got.arm()
			if a.Due != 10_000_000 || a.Unsent == 0 || a.OK == 0 || *a.AskedRate != 10_000_000 || a.Limited == "" {
				t.Errorf("asked %v, %+v, limited by %q", *a.AskedRate, a.Counts, a.Limited)
			}
			server := s.Calls("Echo")
			if a.OK+a.Failed > server || a.Sent+a.Resent < server {
				t.Errorf("%+v, the server counts %d", a.Counts, server)
			}
			if most := float64(server) / time.Duration(a.Window).Seconds(); a.AchievedRate > most*1.0001 || time.Duration(a.Window) < time.Second {
				t.Errorf("achieved %v/s in %v, and the server counts %v/s", a.AchievedRate, time.Duration(a.Window), most)
			}
			says(t, got.headline(t), "Asked 10,000,000 calls/s, sent", "unsent")
			says(t, got.stdout, "asked 10,000,000/s, sent", " of what was due was sent: ")
			got.noSentinel(t)
			t.Logf("%.4g/s of 10,000,000/s in %v", a.AchievedRate, time.Duration(a.Window))
		})
	}
}

// K18: the frozen server. A process is stopped (SIGSTOP) in the middle of an open loop of 20/s on one connection, and
// continued: each call that was due meanwhile waits until then, and its latency says so. The exact percentiles are
// checked on a fake clock; here the stop is shorter, and what is counted are calls that cannot have been quicker. In
// a closed loop the alarm of coordinated omission is raised.
func TestFrozenServer(t *testing.T) {
	t.Parallel()
	const stop, long = time.Second, 2 * time.Second
	for _, w := range everyWay {
		t.Run("open loop, "+w.String(), func(t *testing.T) {
			t.Parallel()
			p := servingProcess(t)
			frozen := p.freeze(t, 10, stop)
			got := measure(t, exitOK, "run", p.urls[w.scheme], "-d", `{"greeting":"x"}`, "-r", "20", "-n", "50", "--connections", "1", "--client", w.client)
			f := <-frozen
			exactly(t, got, 50, 50)
			// The calls of the first half of the stop are 10, give or take one at each end.
			waited := int64(0)
			for _, b := range got.arm().Latency.Hist.Buckets() {
				if b.Value >= stop/2*998/1000 {
					waited += b.Count
				}
			}
			if waited < 9 {
				t.Errorf("%d calls took %v or more from their due time, want 9 at least of those due while the server stood for %v", waited, stop/2, f)
			}
			t.Logf("stood for %v; p50 %v, max %v, %d calls of %v or more", f, got.arm().Latency.Hist.AtRank(25), ns(got.arm().Latency.Max), waited, stop/2)
		})
		t.Run("closed loop, "+w.String(), func(t *testing.T) {
			t.Parallel()
			p := servingProcess(t)
			frozen := p.freeze(t, 200, long)
			got := measure(t, exitOK, "run", p.urls[w.scheme], "-d", `{"greeting":"x"}`, "-z", "4s", "-c", "1", "--client", w.client)
			<-frozen
			stalls := got.arm().Stalls
			if stalls == nil || stalls.Longest < int64(long)*9/10 || stalls.Missing == 0 {
				t.Fatalf("no alarm of omission: %+v\n%s", stalls, got.stdout)
			}
			for _, format := range tableFormats {
				says(t, got.formats[format], "blocked all calls; about", "that users would have made are missing", "run again with --rate")
			}
			t.Logf("%v blocked, about %d calls missing", time.Duration(stalls.Longest), stalls.Missing)
		})
	}
}

// A process of the reference services, and their hello by scheme.
type process struct {
	cmd   *exec.Cmd
	urls  map[string]string
	stats string
}

// servingProcess starts `wiregauge serve` with answers after 1 ms.
func servingProcess(t *testing.T) *process {
	t.Helper()
	cmd := exec.Command(binary, "serve", "hello", "--plain", "--plant", "delay=1ms")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGCONT)
		cmd.Process.Kill()
		cmd.Wait()
	})
	p := &process{cmd: cmd, urls: map[string]string{}}
	var text strings.Builder
	for buf := make([]byte, 4096); p.stats == ""; {
		n, err := out.Read(buf)
		text.Write(buf[:n])
		if err != nil {
			t.Fatalf("serve: %v\n%s", err, text.String())
		}
		for line := range strings.Lines(text.String()) {
			url, whole := strings.CutSuffix(line, "\n")
			switch {
			case !whole:
			case strings.HasSuffix(url, "/stats"):
				p.stats = url
			default:
				scheme, _, _ := strings.Cut(url, "://")
				p.urls[scheme] = url
			}
		}
	}
	return p
}

// freeze stops the process once it has received that many calls, and continues it after d; it says for how long.
func (p *process) freeze(t *testing.T, calls int64, d time.Duration) <-chan time.Duration {
	stood := make(chan time.Duration, 1)
	go func() {
		defer close(stood)
		for p.received(t) < calls {
			if t.Context().Err() != nil {
				return
			}
			plant.Real().Sleep(t.Context(), time.Millisecond)
		}
		begun := time.Now()
		p.cmd.Process.Signal(syscall.SIGSTOP)
		plant.Real().Sleep(t.Context(), d)
		p.cmd.Process.Signal(syscall.SIGCONT)
		stood <- time.Since(begun)
	}()
	return stood
}

// received is how many calls the process counts.
func (p *process) received(t *testing.T) int64 {
	r, err := http.NewRequestWithContext(t.Context(), "GET", p.stats, nil)
	if err != nil {
		return 0
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer a.Body.Close()
	var s lab.Stats
	if json.NewDecoder(a.Body).Decode(&s) != nil {
		return 0
	}
	return s.Received
}
