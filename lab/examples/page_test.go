package main

import (
	"strings"
	"testing"
)

func TestNumbersAreFoundInWhatToolsPrint(t *testing.T) {
	for _, row := range []struct {
		name   string
		tool   tool
		out    string
		rate   float64
		failed int64
	}{
		{"wrk, all well", wrk, "  20000 requests in 1.00s, 3.1MB read\nRequests/sec:  19876.54\n", 19876.54, 0},
		{"wrk, refusals and broken connections", wrk, "  Socket errors: connect 1, read 20, write 3, timeout 0\n  Non-2xx or 3xx responses: 500\nRequests/sec:  100\n", 100, 524},
		{"hey, all well", hey, "  Requests/sec:\t4567.8\n\nStatus code distribution:\n  [200]\t4567 responses\n", 4567.8, 0},
		{"hey, refusals and errors", hey, "  Requests/sec:\t10\n\n  [200]\t4 responses\n  [503]\t5 responses\n\nError distribution:\n  [7]\tGet \"http://127.0.0.1:1/\": EOF\n", 10, 12},
		{"h2load after a GOAWAY", h2load, "finished in 9.32ms, 107265.34 req/s, 15.6MB/s\nrequests: 100000 total, 1000 started, 100000 done, 1000 succeeded, 99000 failed, 99000 errored, 0 timeout\n", 107265.34, 99000},
		{"ghz, cut off at the end", ghz, "  Requests/sec:\t8460.1\n\nStatus code distribution:\n  [OK]            8400 responses   \n  [Unavailable]   50 responses     \n", 8460.1, 50},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r run
			if err := row.tool.read(&r, row.out, ""); err != nil {
				t.Fatal(err)
			}
			if r.rate != row.rate || r.failed != row.failed {
				t.Errorf("rate %v, %d failed; want %v, %d", r.rate, r.failed, row.rate, row.failed)
			}
		})
	}
}

func TestOutputWithoutARateIsAnError(t *testing.T) {
	err := wrk.read(&run{}, "unable to connect", "connection refused")
	if err == nil || !strings.Contains(err.Error(), "unable to connect") {
		t.Errorf("got %v, want an error that shows the output", err)
	}
}

func TestEverySuiteFileIsOneTheToolsCanBeAsked(t *testing.T) {
	t.Chdir("../..")
	for _, e := range examples() {
		s, err := readSuite("lab/examples/"+e.name+".yaml", "/peers")
		if err != nil {
			t.Error(err)
			continue
		}
		if s.callers != 50 {
			t.Errorf("%s has %d callers; the commands of the other tools say 50", e.name, s.callers)
		}
		for _, a := range s.arms {
			if !strings.Contains(a.start, "{port}") || !strings.Contains(a.url, "{port}") || strings.Contains(a.start, "${") {
				t.Errorf("%s: %s is started by %q and asked at %q: want {port} in both, and no variable", e.name, a.name, a.start, a.url)
			}
		}
	}
}

func TestASectionTakesItsPlaceAndLeavesTheOthers(t *testing.T) {
	page := compose("", "grpcgo-grpcio", "rpc, old\n")
	page = compose(page, "nginx-haproxy", "proxies\n")
	page = compose(page, "grpcgo-grpcio", "rpc, new\n")
	if strings.Contains(page, "old") || !strings.HasPrefix(page, head) {
		t.Errorf("an old section stayed, or the head was lost:\n%s", page)
	}
	if first, second := strings.Index(page, "proxies\n"), strings.Index(page, "rpc, new\n"); first < 0 || second < first {
		t.Errorf("sections are lost or out of order:\n%s", page)
	}
	if again := compose(page, "nginx-haproxy", "proxies\n"); again != page {
		t.Errorf("the page differs when nothing is new:\n%s", again)
	}
}
