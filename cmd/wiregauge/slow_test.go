package main

import (
	"strings"
	"testing"

	"wiregauge/lab"
)

// The server of a gRPC stream is held back by its window alone: what fits that it sends ahead, and all of it is told.
func TestSlowConsumerOverGRPC(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	url := strings.Replace(s.urls["grpc inventory"], "wg.v1.Inventory/Check", "wg.v1.Ticker/Ticks", 1)
	f, got := measured(t, exitOK, "run", url, "-d", `{"everyMs":1,"count":30}`, "--slow-consumer", "1/min", "-n", "4", "-c", "4")
	a := f.Arms[0]
	if a.OK != 4 || a.Messages != 120 || a.Slow == nil || a.Slow.Consumed != 0 || a.Slow.Left != 120 || a.Slow.AheadMax != 30 || a.Slow.AheadBytes < 30 {
		t.Errorf("%+v, %+v\n%s", a.Counts, a.Slow, got.stdout)
	}
	if a.FirstMessage == nil || a.FirstMessage.N != 4 || a.MessageGap == nil || a.MessageGap.N != 116 {
		t.Errorf("first messages %+v, gaps %+v", a.FirstMessage, a.MessageGap)
	}
	for _, word := range []string{"first message, ok", "between messages", "120 received in the window", "120 by finished calls", "30.0 per call"} {
		if !strings.Contains(got.stdout, word) {
			t.Errorf("no %q in\n%s", word, got.stdout)
		}
	}
	if !strings.Contains(got.stdout, "the server's memory unknown (no --server-pid)") {
		t.Errorf("the server's memory is not known, and that is not said:\n%s", got.stdout)
	}
}

func TestSlowConsumerIsRefusedWhereNothingHoldsAServerBack(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for name, row := range map[string]struct {
		url  string
		args []string
		word string
	}{
		"one answer":   {s.urls["grpc inventory"], []string{"-d", "{}"}, "answered with a stream"},
		"HTTP/1.1":     {s.urls["http inventory"], []string{"-d", "{}"}, "nothing in HTTP/1.1 holds a server back"},
		"no such rate": {s.urls["grpc inventory"], []string{"-d", "{}", "--slow-consumer", "2000000/s"}, "at most 1,000,000"},
	} {
		got := invoke(t, append([]string{"run", row.url, "--slow-consumer", "5/s"}, row.args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, row.word) {
			t.Errorf("%s: exit %d, want %q in\n%s", name, got.code, row.word, got.stderr)
		}
	}
}

// Seven messages a call of the three that the data holds: what an echo sends back is as many, and as large.
func TestMessagesOfACallAreThoseOfTheDataRoundRobin(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	grpc := strings.Replace(s.urls["grpc inventory"], "wg.v1.Inventory/Check", "wg.v1.Echo/BidiStream", 1)
	rsocket := strings.Replace(s.urls["rsocket+tcp inventory"], "inventory.check", "echo.channel", 1)
	data := `{"payload":"AQ=="} {"payload":"AQI="} {"payload":"AQID"}`
	for _, args := range [][]string{{grpc}, {grpc, "--client", "stack"}, {rsocket, "--channel"}} {
		f, got := measured(t, exitOK, append([]string{"run", "-d", data, "--messages", "7", "-n", "5", "-c", "2"}, args...)...)
		if a := f.Arms[0]; a.OK != 5 || a.Messages != 35 || !strings.Contains(f.Plan.Payload, "7 messages of") {
			t.Errorf("%v: %+v, %q\n%s", args, a.Counts, f.Plan.Payload, got.stderr)
		} else if len(args) == 1 && a.SentBytes.Body != 5*(3*3+2*4+2*5) {
			t.Errorf("%v: %d bytes of messages sent, want three of 3, two of 4 and two of 5 in each call", args, a.SentBytes.Body)
		}
	}
	got := invoke(t, "run", s.urls["grpc inventory"], "-d", "{}", "--messages", "2")
	if got.code != exitUsage || !strings.Contains(got.stderr, "whose caller sends a stream") {
		t.Errorf("one message a call: exit %d\n%s", got.code, got.stderr)
	}
}
