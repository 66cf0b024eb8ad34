package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge/lab"
	"wiregauge/lab/casesvc"
)

// until waits for what another process or goroutine does in its own time.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for !happened() {
		select {
		case <-t.Context().Done():
			t.Fatal("never: " + what)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestTakeOverHTTP is case K25 where a stream is the body of an HTTP answer: three messages of one that never ends are
// a success, for one call and under load, and the server sees each stream given up.
func TestTakeOverHTTP(t *testing.T) {
	plain := startCases(t, casesvc.Options{Messages: -1})
	secure := startCases(t, casesvc.Options{Messages: -1, TLS: true})
	ca := writeFile(t, "ca.pem", string(secure.CA().PEM))
	for _, row := range []struct {
		scheme string
		s      *casesvc.Server
		args   []string
	}{
		{"http", plain, nil}, {"h2c", plain, nil},
		{"https", secure, []string{"--http1.1", "--cacert", ca}}, {"h2", secure, []string{"--cacert", ca}},
	} {
		for _, client := range []string{"wire", "stack"} {
			args := append([]string{"-d", `{"id":7}`, "--take", "3", "--client", client}, row.args...)
			t.Run(row.scheme+" "+client, func(t *testing.T) { takeThree(t, row.s, row.s.URL(row.scheme, "Stream"), args) })
		}
	}
}

func takeThree(t *testing.T, s *casesvc.Server, url string, args []string) {
	s.Reset()
	got := invoke(t, append([]string{"call", url, "-v"}, args...)...)
	got.expect(t, exitOK, strings.Repeat("{\n  \"id\": 7\n}\n", 3))
	if !strings.Contains(got.stderr, "status OK, ended by --take 3") {
		t.Errorf("told as\n%s", got.stderr)
	}
	until(t, "the stream is cancelled", func() bool { return s.Canceled("Stream") == 1 })
	s.Reset()
	f, out := measured(t, exitOK, append([]string{"run", url, "-n", "20", "-c", "4", "--expect-status", "200"}, args...)...)
	arm := f.Arms[0]
	conserved(t, arm.Counts)
	if len(arm.Statuses) != 1 || arm.Statuses[0].Status != 200 || arm.Statuses[0].Count != 20 {
		t.Errorf("statuses %+v", arm.Statuses)
	}
	if arm.OK != 20 || arm.Messages != 60 || arm.MessageGap == nil || arm.MessageGap.N != 40 || arm.Connections.Failed != 0 {
		t.Errorf("%+v, gaps %+v, connections %+v\n%s", arm.Counts, arm.MessageGap, arm.Connections, out.stdout)
	}
	until(t, "every stream is cancelled", func() bool { return s.Canceled("Stream") == 20 })
	if n := s.Calls("Stream"); n != 20 {
		t.Errorf("the server received %d calls", n)
	}
}

// The same against the reference service, whose contract says that the method streams.
func TestTakeOfTheReferenceService(t *testing.T) {
	s := serve(t, lab.ServeConfig{Services: []string{"echo"}})
	for _, key := range []string{"http echo/ServerStream", "h2c echo/ServerStream", "https echo/ServerStream", "h2 echo/ServerStream"} {
		for _, client := range []string{"wire", "stack"} {
			t.Run(key+" "+client, func(t *testing.T) {
				args := []string{s.url(t, key), "-d", `{"payload":"eA==","count":-1}`, "--take", "3", "--client", client}
				if strings.Contains(args[0], "s://") || strings.HasPrefix(args[0], "h2://") {
					args = append(args, "--cacert", s.CAFile())
				}
				invoke(t, append([]string{"call"}, args...)...).expect(t, exitOK, strings.Repeat("{\n  \"payload\": \"eA==\"\n}\n", 3))
				f, out := measured(t, exitOK, append([]string{"run", "-n", "10", "-c", "2", "--server-stats", s.AdminURL()}, args...)...)
				arm := f.Arms[0]
				if arm.OK != 10 || arm.Messages != 30 || arm.ServerStats.Conserve != "ok" || arm.FirstByte.N != 10 {
					t.Errorf("%+v, %+v\n%s", arm.Counts, arm.ServerStats, out.stdout)
				}
			})
		}
	}
}

// A method whose contract streams is told message by message, over every protocol alike; also without --take.
func TestStreamsOfAContract(t *testing.T) {
	s := startCases(t, casesvc.Options{Messages: 3})
	proto := protoFile(t)
	for _, scheme := range []string{"http", "h2c", "grpc"} {
		f, out := measured(t, exitOK, "run", s.URL(scheme, "Stream"), "--proto", proto, "--call", "t.Svc/Stream", "-d", `{"id":1}`, "-n", "10", "-c", "2")
		if arm := f.Arms[0]; arm.OK != 10 || arm.Messages != 30 {
			t.Errorf("%s: %+v\n%s", scheme, arm.Counts, out.stdout)
		}
	}
}

// Server-sent events are printed one by one: JSON laid out, anything else as it is.
func TestServerSentEvents(t *testing.T) {
	events := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": hello\n\nevent: x\ndata: {\"a\":\ndata: 1}\n\nid: 2\ndata: two words\n\n")
		for r.Context().Err() == nil {
			io.WriteString(w, "data: [3]\n\n")
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(events.Close)
	for _, client := range []string{"wire", "stack"} {
		got := invoke(t, "call", events.URL, "--take", "3", "--client", client)
		got.expect(t, exitOK, "{\n  \"a\": 1\n}\ntwo words\n[\n  3\n]\n")
		path := filepath.Join(t.TempDir(), "events")
		invoke(t, "call", events.URL, "--take", "2", "--client", client, "-o", path).expect(t, exitOK, "")
		if raw, err := os.ReadFile(path); err != nil || string(raw) != "{\"a\":\n1}\ntwo words\n" {
			t.Errorf("saved %q (%v)", raw, err)
		}
	}
}

// What comes faster than it is printed waits in the server, and nothing of it is lost.
func TestSlowReaderOfAStream(t *testing.T) {
	s := startCases(t, casesvc.Options{Messages: -1})
	message := strings.Repeat("x", 10_000)
	for _, scheme := range []string{"http", "h2c"} {
		for _, client := range []string{"wire", "stack"} {
			t.Run(scheme+" "+client, func(t *testing.T) {
				r, w := io.Pipe() // a write waits for its reader
				done := make(chan int, 1)
				go func() {
					args := []string{"call", s.URL(scheme, "Stream"), "-d", `"` + message + `"`, "--take", "2000", "--client", client}
					done <- run(t.Context(), args, strings.NewReader(""), w, io.Discard)
					w.Close()
				}()
				n, err := io.Copy(io.Discard, r)
				if code := <-done; code != exitOK || err != nil || n != 2000*(10_000+3) {
					t.Errorf("exit %d, %d bytes, %v", code, n, err)
				}
			})
		}
	}
}

func TestInboxHoldsTheSenderBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox()
		free := 0
		wait := func() { b.wait(); free++ }
		for range credit - 1 {
			b.add(nil)
		}
		if wait(); free != 1 || !b.short() {
			t.Fatal("it waits though there is room")
		}
		b.add(nil)
		go wait()
		synctest.Wait()
		if free != 1 || b.short() {
			t.Fatal("it does not wait though there is none")
		}
		b.next()
		synctest.Wait()
		if free != 2 {
			t.Fatal("it waits though one was taken")
		}
		b.add(nil)
		go wait()
		synctest.Wait()
		b.close()
		synctest.Wait()
		if free != 3 {
			t.Fatal("it waits though nothing more comes")
		}
	})
}

// Streams are compared over protocols like any other calls: the same messages came, three of each.
func TestTakeInACompare(t *testing.T) {
	s := startCases(t, casesvc.Options{})
	for _, client := range []string{"wire", "stack"} {
		f := compared(t, "rest="+s.URL("http", "Stream"), "h2="+s.URL("h2c", "Stream"), "grpc="+s.URL("grpc", "Stream"), "--proto", protoFile(t),
			"-d", `{"id":7}`, "--take", "3", "--client", client, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "2")
		for _, c := range f.Fair.Checks {
			if !c.Passed || c.Unknown && c.Name == "reply" {
				t.Errorf("%s: %+v", client, c)
			}
		}
		for _, a := range f.Arms {
			if a.Failed != 0 || a.Client != client {
				t.Errorf("%s: arm %s by %s: %+v, %+v", client, a.Name, a.Client, a.Counts, a.Errors)
			}
		}
	}
}
