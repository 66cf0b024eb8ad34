package cases

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/casesvc"
)

// K24: a reply of 8,259,568 bytes and a request of 16 MiB both work by default, on call, run and compare; where a limit
// is asked for, the error names it and the flag that raises it.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	for _, size := range []int{8_259_568, 16 << 20} {
		body := bytes.Repeat([]byte("x"), size-5) // field, length of four bytes, and that
		message := append([]byte{0x22, byte(len(body)&0x7f | 0x80), byte(len(body)>>7&0x7f | 0x80), byte(len(body)>>14&0x7f | 0x80), byte(len(body) >> 21)}, body...)
		asJSON := written(t, "large.json", `{"b":"`+base64.StdEncoding.EncodeToString(body)+`"}`)
		asBytes := written(t, "large.bin", string(message))
		eachWay(t, everyWay, func(t *testing.T, w way) {
			s := svc(t, casesvc.Options{})
			url, data := s.URL(w.scheme, "Echo"), []string{"-d", "@" + asJSON, "--client", w.client}
			if w.scheme != "grpc" {
				data = []string{"--binary", asBytes, "--client", w.client, "-H", "Content-Type: application/protobuf"}
			}
			got := wg(t, "", append([]string{"call", url, "-o", filepath.Join(t.TempDir(), "body")}, data...)...)
			if got.code != exitOK {
				t.Errorf("call of %d bytes: exit %d\n%s", size, got.code, got.stderr)
			}
			run := measure(t, exitOK, append([]string{"run", url, "-n", "2", "-c", "2"}, data...)...)
			if a := run.arm(); a.OK != 2 || a.SentBytes.Body != 2*int64(size) || a.RecvBytes.Body != 2*int64(size) {
				t.Errorf("%+v, %d bytes sent, %d received; want 2 of %d", a.Counts, a.SentBytes.Body, a.RecvBytes.Body, size)
			}
			for i, m := range s.Messages() {
				if !bytes.Equal(m.Bytes, message) {
					t.Errorf("message %d of %d bytes is not what was sent", i, len(m.Bytes))
				}
			}
			if size > 10<<20 {
				return
			}
			limited := append([]string{"--max-reply", "1mb"}, data...)
			got = wg(t, "", append([]string{"call", url}, limited...)...)
			if got.code == exitOK || got.stdout != "" {
				t.Errorf("call with --max-reply 1mb: exit %d, %d bytes of answer", got.code, len(got.stdout))
			}
			says(t, got.stderr, "1000000", "--max-reply")
			run = measure(t, exitErrors, append([]string{"run", url, "-n", "2", "-c", "1"}, limited...)...)
			checkFailures(t, run, "too large", 2)
			if e := run.arm().Errors[0]; !strings.Contains(e.Message, "1000000") || !strings.Contains(e.Message, "--max-reply") {
				t.Errorf("run does not name the limit and its flag: %q", e.Message)
			}
		})
	}
	t.Run("compare", func(t *testing.T) {
		t.Parallel()
		s := svc(t, casesvc.Options{Keep: 1})
		data := written(t, "large.json", `{"b":"`+base64.StdEncoding.EncodeToString(make([]byte, 8_259_563))+`"}`)
		got := measure(t, exitOK, "compare", "a="+s.URL("grpc", "Echo"), "b="+s.URL("grpc", "Echo"), "-d", "@"+data, "-n", "4", "--rounds", "2", "-c", "1")
		for i := range got.file.Arms {
			if a := &got.file.Arms[i]; a.OK != 4 || a.SentBytes.Body != 4*8_259_568 || a.RecvBytes.Body != 4*8_259_568 {
				t.Errorf("%s: %+v, %d and %d bytes of bodies", a.Name, a.Counts, a.SentBytes.Body, a.RecvBytes.Body)
			}
		}
	})
}

// K25: three messages of an endless stream. call --take 3 prints them and exits 0; in run such calls are OK, and the
// server sees each stream cancelled.
func TestThreeMessagesOfAnEndlessStream(t *testing.T) {
	t.Parallel()
	for _, w := range rpcWays {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			s := svc(t, casesvc.Options{Messages: -1})
			url := s.URL("grpc", "Stream")
			got := wg(t, "", "call", url, "-d", `{"id":1}`, "--take", "3", "--client", w.client, "-v")
			if got.code != exitOK || strings.Count(got.stdout, `"id": "1"`) != 3 {
				t.Errorf("exit %d\n%s\n%s", got.code, got.stdout, got.stderr)
			}
			for _, word := range []string{"CANCEL", "DEADLINE", "error"} {
				if strings.Contains(strings.ToUpper(got.stderr), strings.ToUpper(word)) {
					t.Errorf("it speaks of %s: %s", word, got.stderr)
				}
			}
			until(t, "the stream of call is cancelled", func() bool { return s.Canceled("Stream") == 1 })
			run := measure(t, exitOK, "run", url, "-d", `{"id":1}`, "--take", "3", "-n", "20", "-c", "4", "--client", w.client)
			if a := run.arm(); a.OK != 20 || a.Messages != 60 || len(a.Errors) != 0 || s.Calls("Stream") != 21 {
				t.Errorf("%+v, errors %+v; the server counts %d", a.Counts, a.Errors, s.Calls("Stream"))
			}
			until(t, "the streams of run are cancelled", func() bool { return s.Canceled("Stream") == 21 })
			both := measure(t, exitOK, "compare", "a="+url, "b="+url, "-d", `{"id":1}`, "--take", "3", "-n", "10", "-c", "2", "--rounds", "2", "--client", w.client)
			for i := range both.file.Arms {
				if a := &both.file.Arms[i]; a.OK != 10 || a.Failed != 0 {
					t.Errorf("compare, %s: %+v, %+v", a.Name, a.Counts, a.Errors)
				}
			}
		})
	}
	t.Run("where no message comes alone", func(t *testing.T) {
		t.Parallel()
		s := svc(t, casesvc.Options{})
		for _, command := range []string{"call", "run"} {
			got := wg(t, "", command, s.URL("grpc", "Echo"), "-d", `{}`, "--take", "3")
			if got.code != exitUsage || s.Calls("Echo") != 0 {
				t.Errorf("%s: exit %d, %d calls", command, got.code, s.Calls("Echo"))
			}
			says(t, got.stderr, "--take")
		}
	})
}

// until waits for what happens soon after what the test did; the test's own time limit is the only one.
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

// K26: reflection that knows the service but not the method: call, run, list, describe and compare work.
func TestReflectionWithoutMethods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		kind casesvc.Reflection
	}{
		{"the service, not its methods", casesvc.ReflectServiceOnly},
		{"both versions, complete", casesvc.ReflectBoth},
		{"v1alpha only", casesvc.ReflectAlpha},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := svc(t, casesvc.Options{Reflection: c.kind})
			url := s.URL("grpc", "Echo")
			got := wg(t, "", "call", url, "-d", `{"id":7}`)
			if got.code != exitOK {
				t.Errorf("call: exit %d\n%s", got.code, got.stderr)
			}
			sameJSON(t, "call", got.stdout, `{"id":"7"}`)
			exactly(t, measure(t, exitOK, "run", url, "-d", `{"id":7}`, "-n", "5", "-c", "1"), s.Calls("Echo")-1, 5)
			both := measure(t, exitOK, "compare", "a="+url, "b="+s.URL("grpc", "Slow"), "-d", `{"id":7}`, "-n", "4", "-c", "2", "--rounds", "2")
			if n := both.file.Arms[1].OK; n != 4 {
				t.Errorf("compare: %d calls of the second arm", n)
			}
			base := "grpc://" + s.GRPC()
			for _, command := range [][]string{{"list", base}, {"list", base, "t.Svc"}, {"describe", base, "t.Svc"}, {"describe", base, "t.Svc.Echo"}, {"describe", base, "t.M"}} {
				if got := wg(t, "", command...); got.code != exitOK || !strings.Contains(got.stdout, command[len(command)-1][strings.LastIndexByte(command[len(command)-1], '.')+1:]) && command[0] == "describe" {
					t.Errorf("%q: exit %d\n%s\n%s", command, got.code, got.stdout, got.stderr)
				}
			}
			says(t, wg(t, "", "list", base).stdout, "t.Svc")
		})
	}
}

// K26: when neither method nor service is known, the error says what was asked and what the server answered.
func TestReflectionThatKnowsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method string
		kind         casesvc.Reflection
		code         int
		words        []string
	}{
		{"names only", "t.Svc/Echo", casesvc.ReflectNames, exitUsage,
			[]string{`service "t.Svc"`, "is listed by reflection, but not described", `NOT_FOUND "Symbol not found: t.Svc.Echo" for symbol "t.Svc.Echo"`, `NOT_FOUND "Symbol not found: t.Svc" for symbol "t.Svc"`, "--proto FILE"}},
		{"a service that is not there", "t.Svv/Echo", casesvc.ReflectServiceOnly, exitUsage,
			[]string{`no service "t.Svv"`, "reflection lists: t.Svc", "did you mean", `for symbol "t.Svv.Echo"`, `for symbol "t.Svv"`}},
		{"a method that is not there", "t.Svc/Ecco", casesvc.ReflectServiceOnly, exitUsage,
			[]string{`no method "Ecco" in service t.Svc`, "it has: Echo, Slow", "t.Svc/Echo"}},
		{"no reflection", "t.Svc/Echo", casesvc.ReflectNone, 3, []string{"no reflection", "v1 and v1alpha", "UNIMPLEMENTED", "--proto FILE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := svc(t, casesvc.Options{Reflection: c.kind})
			url := fmt.Sprintf("grpc://%s/%s", s.GRPC(), c.method)
			for _, args := range [][]string{{"call", url}, {"run", url, "-n", "1"}, {"compare", "a=" + url, "b=" + url, "-n", "2"}} {
				got := wg(t, "", append(args, "-d", `{"id":7}`)...)
				if got.code != c.code || s.Calls("Echo") != 0 {
					t.Errorf("%s: exit %d, want %d; %d calls", args[0], got.code, c.code, s.Calls("Echo"))
				}
				says(t, got.stderr, c.words...)
			}
		})
	}
}
