package lab

import (
	"encoding/csv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/truth"
)

// A server with a known answer writes every call down: arrived, then in a handler, due exactly when the plant says, and
// answered not before. Plain and TLS, and where the hostile server plays.
func TestTruthIsWrittenDown(t *testing.T) {
	rows := []struct {
		name, spec string
		protocols  []string
	}{
		{"the libraries", "delay=2ms", []string{"http", "h2c", "grpc", "https", "h2", "grpcs"}},
		{"our own answering end", "delay=2ms", rsocketNames},
		{"the hostile server", "delay=2ms,goaway=1000", []string{"h2c", "grpc"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, ServeConfig{Truth: row.spec, Services: []string{"hello"}})
			for _, protocol := range row.protocols {
				for range 2 {
					if said := helloOnce(t, s, protocol, ""); said != "ok" {
						t.Fatalf("%s: %s", protocol, said)
					}
				}
			}
			entries := truthLog(t, s)
			if want := 2 * len(row.protocols); len(entries) != want {
				t.Fatalf("%d calls are written down, want %d", len(entries), want)
			}
			for i, e := range entries {
				if e.Due-e.Arrived != 2*time.Millisecond || e.Begun < e.Arrived || e.Ended < e.Due || !e.OK {
					t.Errorf("call %d: arrived %v, begun %v, due %v, ended %v, ok %v", i, e.Arrived, e.Begun, e.Due, e.Ended, e.OK)
				}
			}
		})
	}
}

// truthLog reads /truth and /truth/log, which must agree, and starts both anew.
func truthLog(t *testing.T, s *Server) []truth.Entry {
	t.Helper()
	var summary Truth
	told, err := TruthOf(get(t, s.TruthURL()))
	if err != nil {
		t.Fatal(err)
	}
	summary = *told
	rows, err := csv.NewReader(strings.NewReader(string(get(t, s.TruthURL()+"/log?reset")))).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("the log: %v, %d lines", err, len(rows))
	}
	var entries []truth.Entry
	for _, row := range rows[1:] {
		var e truth.Entry
		for i, into := range []*time.Duration{&e.Arrived, &e.Due, &e.Begun, &e.Ended} {
			ns, err := strconv.ParseInt(row[i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			*into = time.Duration(ns)
		}
		e.OK = row[4] == "true"
		entries = append(entries, e)
	}
	if summary.Log.Calls != int64(len(entries)) || summary.Log.Took.N != summary.Log.OK {
		t.Errorf("%d calls in the summary, %d lines in the log", summary.Log.Calls, len(entries))
	}
	if again, _ := s.journal.Read(false); len(again) != 0 {
		t.Errorf("after ?reset %d calls are left", len(again))
	}
	return entries
}

func get(t *testing.T, url string) []byte {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, r.Status, err)
	}
	return body
}

// What fails is written down as failed, and counts in the same order as it was planted.
func TestTruthOfFailures(t *testing.T) {
	for _, row := range []struct{ protocol, spec string }{
		{"http", "reset=/2"}, {"h2c", "reset=/2"}, {"grpc", "reset=/2"}, {"grpc", "refuse=/2"}, {"http", "status=503/2"}, {"grpc", "status=503/2"},
		{"rsocket+tcp", "reset=/2"}, {"rsocket+tcp", "status=503/2"},
	} {
		t.Run(row.protocol+" "+row.spec, func(t *testing.T) {
			s := serve(t, ServeConfig{Truth: row.spec, Services: []string{"hello"}, Protocols: []string{"http", "h2c", "grpc", "rsocket+tcp"}})
			for range 2 {
				helloOnce(t, s, row.protocol, "")
			}
			entries := truthLog(t, s)
			failed := 0
			for _, e := range entries {
				if !e.OK {
					failed++
				}
			}
			if len(entries) < 2 || entries[0].OK != true || failed == 0 {
				t.Errorf("%d calls are written down, %d failed", len(entries), failed)
			}
		})
	}
}

func TestOrdinaryServersWriteNothingDown(t *testing.T) {
	s := serve(t, ServeConfig{Plant: "delay=1ms", Protocols: []string{"http"}})
	if s.TruthURL() != "" || s.journal != nil {
		t.Error("a server that nobody asked for the truth keeps a log")
	}
	r, err := http.Get(s.AdminURL() + "/truth")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("/truth answers %s", r.Status)
	}
}
