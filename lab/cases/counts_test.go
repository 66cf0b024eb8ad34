package cases

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wiregauge/lab"
	"wiregauge/lab/casesvc"
	"wiregauge/lab/plant"
	"wiregauge/result"
)

// K15: exactly n calls, for (n, c) = (49, 50), (10, 50), (101, 10), (1, 1), (7, 3), closed loop: the server counts
// exactly n, the report says n.
func TestExactlyNCalls(t *testing.T) {
	t.Parallel()
	pairs := []struct{ n, c int }{{49, 50}, {10, 50}, {101, 10}, {1, 1}, {7, 3}}
	both := append(append([]way{}, everyWay...), secureWays...)
	eachWay(t, both, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{TLS: w.secure()})
		for _, p := range pairs {
			s.Reset()
			args := []string{"run", s.URL(w.scheme, "Echo"), "-d", `{"id":1}`, "-n", fmt.Sprint(p.n), "-c", fmt.Sprint(p.c), "--client", w.client}
			got := measure(t, exitOK, append(args, trust(t, s)...)...)
			exactly(t, got, s.Calls("Echo"), int64(p.n))
		}
	})
	t.Run("an open loop", func(t *testing.T) {
		t.Parallel()
		s := svc(t, casesvc.Options{})
		for _, w := range everyWay {
			for _, p := range pairs {
				s.Reset()
				got := measure(t, exitOK, "run", s.URL(w.scheme, "Echo"), "-d", `{"id":1}`, "-n", fmt.Sprint(p.n), "-r", "1000", "--max-inflight", fmt.Sprint(p.c), "--client", w.client)
				exactly(t, got, s.Calls("Echo"), int64(p.n))
			}
		}
	})
	t.Run("compare", func(t *testing.T) {
		t.Parallel()
		one, two := svc(t, casesvc.Options{}), svc(t, casesvc.Options{})
		got := measure(t, exitOK, "compare", "a="+one.URL("grpc", "Slow"), "b="+two.URL("grpc", "Slow"), "-d", `{"id":1}`, "-n", "49", "-c", "50", "--rounds", "7")
		for i, s := range []*casesvc.Server{one, two} {
			a := &got.file.Arms[i]
			if want := 49 - 7*lostRounds(got.file); a.Due != want || a.OK != want {
				t.Errorf("%s: %+v, want %d in all", a.Name, a.Counts, want)
			}
			if extra := s.Calls("Slow") - 49; a.Warm == nil || extra < a.Warm.Sent {
				t.Errorf("%s: the server counts %d besides, warm-up %+v", a.Name, extra, a.Warm)
			}
		}
	})
	t.Run("the floor", func(t *testing.T) {
		t.Parallel()
		s, urls := serve(t, lab.ServeConfig{Plain: true})
		for _, p := range pairs {
			before := s.Stats().Received
			got := measure(t, exitOK, "run", urls["tcp echo"], "-d", "x", "-n", fmt.Sprint(p.n), "-c", fmt.Sprint(p.c))
			exactly(t, got, s.Stats().Received-before, int64(p.n))
		}
	})
}

// exactly checks one number in every place that tells it.
func exactly(t *testing.T, got told, server, n int64) {
	t.Helper()
	a := got.arm()
	if server != n || a.Due != n || a.Sent != n || a.OK != n || a.Latency.N != n || a.Service.N != n {
		t.Errorf("the server counts %d, the report %+v with %d latencies; want %d", server, a.Counts, a.Latency.N, n)
	}
	if r := got.records(t, "arm")[0]; r["ok"] != fmt.Sprint(n) || r["due"] != fmt.Sprint(n) || r["sent"] != fmt.Sprint(n) {
		t.Errorf("CSV due %s, sent %s, ok %s; want %d", r["due"], r["sent"], r["ok"], n)
	}
	var due, ok float64
	for _, second := range got.seconds(t) {
		due, ok = due+second["due"].(float64), ok+second["ok"].(float64)
	}
	if int64(due) != n || int64(ok) != n {
		t.Errorf("the seconds hold %v due, %v ok; want %d", due, ok, n)
	}
	for _, format := range tableFormats {
		cells := got.cells(t, format, "from due, ok")
		if calls := strings.ReplaceAll(cells[len(cells)-1], ",", ""); calls != fmt.Sprint(n) {
			t.Errorf("%s: %q, want %d calls", format, cells, n)
		}
	}
}

// K16: conservation at the deadline. 2 connections x 5 streams, a server of a few ms: sent = ok + failed + unfinished,
// exactly; good answers ≤ finished calls; the server's count lies between finished and sent + resent.
func TestConservationAtTheDeadline(t *testing.T) {
	t.Parallel()
	eachWay(t, streamWays, func(t *testing.T, w way) {
		s, urls := serve(t, lab.ServeConfig{Plain: true, Plant: "delay=3ms"})
		got := measure(t, exitOK, "run", urls[w.scheme+" hello"], "-d", `{"greeting":"x"}`, "-z", "3s", "-c", "10", "--connections", "2", "--streams", "5",
			"--client", w.client, "--server-stats", s.AdminURL())
		a := got.arm()
		server := s.Stats().Received
		if a.Unfinished > 10 || a.Ages.N != a.Unfinished || server < a.OK+a.Failed || server > a.Sent+a.Resent {
			t.Errorf("%+v, %d ages; the server counts %d", a.Counts, a.Ages.N, server)
		}
		var good int64
		for _, status := range a.Statuses {
			if status.OK {
				good += status.Count
			}
		}
		if good != a.OK || a.ServerStats.Conserve != "ok" {
			t.Errorf("%d good answers, %d ok calls, the server: %s", good, a.OK, a.ServerStats.Conserve)
		}
		says(t, got.stdout, "conservation every call is accounted for, by the server too")
		t.Logf("%d sent, %d ok, %d unfinished; the server counts %d", a.Sent, a.OK, a.Unfinished, server)
	})
}

// K20: more than a million calls. (a) 1,050,000, the last 50,000 slowed by 20 ms at the server: the histogram holds
// 1,050,000, p95 is fast, p96 and p99 are 20 ms or more. (b) 1,396,881 HTTP calls answered 200 with a body of 37
// bytes: as many answers, exactly 37 bytes each. Memory does not grow with the number of calls.
func TestMoreThanAMillionCalls(t *testing.T) {
	t.Run("a slow tail behind the first million", func(t *testing.T) {
		s := countingServer(t, 1_000_000)
		got := measure(t, exitOK, "run", "http://"+s.address+"/", "-n", "1050000", "-c", "512", "--connections", "8", "--streams", "64",
			"--percentiles", "50,95,96,99")
		a := got.arm()
		if a.OK != 1_050_000 || a.Latency.N != 1_050_000 || s.received.Load() != 1_050_000 {
			t.Fatalf("%+v, %d latencies; the server counts %d", a.Counts, a.Latency.N, s.received.Load())
		}
		var sum, slow int64
		for _, b := range a.Latency.Hist.Buckets() {
			sum += b.Count
			if b.Value >= 20*time.Millisecond*999/1000 {
				slow += b.Count
			}
		}
		if sum != 1_050_000 || slow < 50_000 {
			t.Errorf("the buckets hold %d, %d of them of 20 ms or more", sum, slow)
		}
		for _, p := range []float64{96, 99} {
			if told := a.Latency.Percentile(p); *told.NS < int64(20*time.Millisecond)*999/1000 {
				t.Errorf("p%v is %v, want 20 ms or more", p, ns(told.NS))
			}
		}
		t.Logf("p95 %v, p96 %v, p99 %v; %s of memory", ns(a.Latency.Percentile(95).NS), ns(a.Latency.Percentile(96).NS), ns(a.Latency.Percentile(99).NS), mb(a.ClientCPU.RSS))
	})
	t.Run("bodies of 37 bytes", func(t *testing.T) {
		s := countingServer(t, 0)
		forgetPeak()
		args := []string{"run", "http://" + s.address + "/", "-c", "512", "--connections", "8", "--streams", "64"}
		few := measure(t, exitOK, append(args, "-n", "100000")...).arm()
		before := s.received.Load()
		got := measure(t, exitOK, append(args, "-n", "1396881")...)
		a := got.arm()
		if a.OK != 1_396_881 || s.received.Load()-before != 1_396_881 || len(a.Statuses) != 1 || a.Statuses[0].Count != 1_396_881 || a.Statuses[0].Name != "200" {
			t.Errorf("%+v, statuses %+v; the server counts %d", a.Counts, a.Statuses, s.received.Load()-before)
		}
		if a.RecvBytes.Body != 37*1_396_881 {
			t.Errorf("bodies of %d bytes in all, want 37 each: %d", a.RecvBytes.Body, 37*1_396_881)
		}
		says(t, got.stdout, "body 37.0 B")
		if a.ClientCPU.RSS > 100<<20 {
			t.Errorf("%s of memory; want less than 100 MB however many calls", mb(a.ClientCPU.RSS))
		}
		t.Logf("%s of memory for 100,000 calls, %s for 1,396,881", mb(few.ClientCPU.RSS), mb(a.ClientCPU.RSS))
	})
}

// forgetPeak makes the largest memory of this process that of now, where the system can, for earlier tests are not
// what is measured.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // Linux: VmHWM begins anew
}

func mb(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// A counter is the least HTTP/1.1 server that counts: it answers each request without a body with 37 bytes.
type counter struct {
	address  string
	received atomic.Int64
}

// countingServer answers from call number slowFrom on 20 ms later; 0 is never.
func countingServer(t *testing.T, slowFrom int64) *counter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &counter{address: l.Addr().String()}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.answer(c, slowFrom) })
		}
	})
	return s
}

var answer37 = []byte("HTTP/1.1 200 OK\r\nContent-Length: 37\r\n\r\n" + strings.Repeat("x", 37))

// answer takes what the client has sent and answers all of it at once.
func (s *counter) answer(c net.Conn, slowFrom int64) {
	defer c.Close()
	in, have := make([]byte, 64<<10), 0
	for {
		n, err := c.Read(in[have:])
		have += n
		whole := bytes.LastIndex(in[:have], []byte("\r\n\r\n")) + 4
		if whole >= 4 {
			requests := bytes.Count(in[:whole], []byte("\r\n\r\n"))
			first := s.received.Add(int64(requests)) - int64(requests)
			fast := requests
			if slowFrom > 0 {
				fast = int(min(max(slowFrom-first, 0), int64(requests)))
			}
			c.Write(bytes.Repeat(answer37, fast))
			if slow := requests - fast; slow > 0 {
				plant.Real().Sleep(context.Background(), 20*time.Millisecond)
				c.Write(bytes.Repeat(answer37, slow))
			}
			have = copy(in, in[whole:have])
		}
		if err != nil {
			return
		}
	}
}

// lostRounds counts the rounds that a busy machine made invalid, and their repeats too.
func lostRounds(f *result.File) int64 {
	lost := map[[2]int]bool{}
	for _, t := range f.Turns {
		if t.Requeued && t.Invalid != "" {
			lost[[2]int{t.Launch, t.Round}] = true
		}
	}
	return int64(len(lost))
}
