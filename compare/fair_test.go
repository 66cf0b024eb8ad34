package compare

import (
	"context"
	"slices"
	"strings"
	"testing"

	"wiregauge/result"
)

func fairSample(arm string) Sample {
	return Sample{Arm: arm, Client: "wire", Protocol: "gRPC", InFlight: 16, Request: []byte("ask"), Reply: []byte("answer"), Again: []byte("answer"), Kind: "message"}
}

func TestCheck(t *testing.T) {
	rows := []struct {
		name   string
		change func(b *Sample)
		failed string // name of the check that fails, "" for none
		detail string // in the check or in the list of differences
	}{
		{"equal arms", func(*Sample) {}, "", ""},
		{"another reply", func(b *Sample) { b.Reply, b.Again = []byte("other"), []byte("other") }, "reply", `a answers 6 B "answer", b 5 B "other"`},
		{"another payload size", func(b *Sample) { b.Reply = []byte(strings.Repeat("x", 1000)); b.Again = b.Reply }, "reply", "b 1000 B"},
		{"another request", func(b *Sample) { b.Request = []byte{0, 1} }, "request", "hex 0001"},
		{"a failure", func(b *Sample) { b.Failure, b.Reply = "404 Not Found", nil }, "answer", "b answered 404 Not Found"},
		{"TLS on one side", func(b *Sample) { b.TLS = "TLS 1.3, X" }, "TLS", "a plaintext, b TLS"},
		{"more calls in flight", func(b *Sample) { b.InFlight = 32 }, "calls in flight", "a 16, b 32"},
		{"another rate", func(b *Sample) { b.Rate = "5/s" }, "rate", "a closed loop, b 5/s"},
		{"another client", func(b *Sample) { b.Client = "stack" }, "client kind", "a wire, b stack"},
		{"compressed requests", func(b *Sample) { b.Encoding = "gzip" }, "compression", "b request gzip"},
		{"compressed answers", func(b *Sample) { b.Answered = "gzip" }, "compression", "answer gzip"},
		{"another protocol is listed only", func(b *Sample) { b.Protocol, b.Codec, b.ALPN, b.Connections = "HTTP/1.1", "json", "http/1.1", 16 }, "", "connections: a 0, b 16"},
		{"answers that vary are compared by size", func(b *Sample) { b.Reply, b.Again = []byte("123456"), []byte("654321") }, "", "compared by size only"},
		{"answers that vary in size too", func(b *Sample) { b.Reply, b.Again = []byte("1234567890"), []byte("654321") }, "reply", "b 10 B"},
		{"more connections over the same protocol", func(b *Sample) { b.Connections = 4 }, "connections", "a has 0 x 0 calls, b 4 x 0 calls"},
		{"more connections that were asked for", func(b *Sample) { b.Connections, b.Own = 4, []string{"connections"} }, "", "connections: a 0, b 4"},
		{"another ALPN", func(b *Sample) { b.ALPN = "h2" }, "ALPN", "a has none, b h2"},
		{"no contract", func(b *Sample) { b.Reply, b.Request = nil, nil }, "", "give a --contract"},
		{"other forms of a message", func(b *Sample) { b.Kind, b.Reply = "json", []byte("{}") }, "", "a sends message, b json"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			a, b := fairSample("a"), fairSample("b")
			r.change(&b)
			f := Check([]Sample{a, b, {Arm: "floor", Floor: true, Failure: "nonsense"}})
			var failed []string
			said := strings.Join(f.Differ, "\n")
			for _, c := range f.Checks {
				if !c.Passed {
					failed = append(failed, c.Name)
				}
				said += "\n" + c.Detail
			}
			if want := strings.Fields(strings.ReplaceAll(r.failed, " ", "_")); strings.ReplaceAll(strings.Join(failed, ","), " ", "_") != strings.Join(want, ",") {
				t.Errorf("failed %q, want %q", failed, r.failed)
			}
			if !strings.Contains(said, r.detail) {
				t.Errorf("%q does not say %q", said, r.detail)
			}
		})
	}
}

func TestArmsOfOneProtocolHaveOneTLSVersion(t *testing.T) {
	a, b := fairSample("a"), fairSample("b")
	a.TLS, b.TLS = "TLS 1.3, X", "TLS 1.2, X"
	failed := func() (names []string) {
		for _, c := range Check([]Sample{a, b}).Checks {
			if !c.Passed {
				names = append(names, c.Name)
			}
		}
		return names
	}
	if got := failed(); !slices.Equal(got, []string{"TLS version"}) {
		t.Errorf("failed %q", got)
	}
	b.Protocol = "HTTP/2"
	if got := failed(); len(got) != 0 {
		t.Errorf("over two protocols: failed %q", got)
	}
}

func TestAFailedCheckVoidsTheVerdictAndTheNumbersAreShown(t *testing.T) {
	list := arms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 3e4})
	for i := range list {
		list[i].Probe = func(context.Context, Running) (Sample, error) {
			s := fairSample("")
			s.Reply = []byte(list[i].Name)
			s.Again = s.Reply
			return s, nil
		}
	}
	var note string
	f := mustRun(t, Plan{Arms: list, Rounds: 10, Progress: func(p Progress) {
		if p.Note != "" {
			note = p.Note
		}
	}})
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Outcome != result.NotFair || v.Ratio == nil || f.Arms[1].Goodput == 0 || !strings.Contains(v.Reasons[0], "reply: a answers 1 B") {
		t.Errorf("verdict %+v", v)
	}
	if !strings.Contains(note, "not a fair test") {
		t.Errorf("the fault was not said at once: %q", note)
	}
}

// A server that changes its mind in a later launch is found out too.
func TestEveryLaunchIsChecked(t *testing.T) {
	calls := 0
	list := startedArms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 3e4})
	for i := range list {
		list[i].Probe = func(context.Context, Running) (Sample, error) {
			s := fairSample("")
			if calls++; i == 1 && calls > 20 {
				s.Reply, s.Again = []byte("changed"), []byte("changed")
			}
			return s, nil
		}
	}
	f := mustRun(t, quick(list, &processes{}))
	reply := f.Fair.Checks[slices.IndexFunc(f.Fair.Checks, func(c result.FairCheck) bool { return c.Name == "reply" })]
	if reply.Passed || !strings.HasPrefix(reply.Detail, "launch ") {
		t.Errorf("check %+v", reply)
	}
}
