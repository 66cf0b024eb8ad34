package cases

import (
	"fmt"
	"slices"
	"testing"

	"wiregauge/lab/hostile"
)

// K28: a server that ages its connections: every 1,000 calls a connection is asked to go away, with a GOAWAY, on
// HTTP/1.1 with Connection: close. 20,000 calls: exactly as many in the report and at the server, none lost or doubled,
// all OK; the report says how many connections were opened and why the old ones ended. nginx, which does this, is met
// in lab/interop.
func TestConnectionsThatAge(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		plant, why := "requests=1000", "goaway"
		if w.scheme == "http" { // 40 connections share the calls
			plant, why = "requests=100", "closed by server"
		}
		s, urls := serve(t, plainPlant(plant))
		got := measure(t, exitOK, append(ageing(urls[w.scheme+" hello"], w, 20_000), "--server-stats", s.AdminURL())...)
		a := got.arm()
		if w.client == "stack" {
			retriedAtMost(t, got, 20_000)
		} else {
			exactly(t, got, s.Stats().Received, 20_000)
		}
		if server := s.Stats().Received; server < a.OK || server > a.Sent+a.Resent || a.ServerStats.Conserve != "ok" {
			t.Errorf("%+v, the server counts %d: %s", a.Counts, server, a.ServerStats.Conserve)
		}
		renewed(t, got, why, 18)
	})
}

// ageing are the flags of the case: 2 connections of 20 in flight, on HTTP/1.1 40 connections.
func ageing(url string, w way, n int) []string {
	args := []string{"run", url, "-d", `{"greeting":"x"}`, "-n", fmt.Sprint(n), "-c", "40", "--client", w.client}
	if w.scheme == "http" {
		return append(args, "--connections", "40")
	}
	return append(args, "--connections", "2", "--streams", "20")
}

// renewed checks that connections were replaced, and that every format says how many and why.
func renewed(t *testing.T, got told, why string, least int64) {
	t.Helper()
	c := got.arm().Connections
	if c.Ended[why] < least || c.Opened < least || c.Failed != 0 {
		t.Errorf("connections %+v, want %d or more that ended by %q", c, least, why)
	}
	for _, format := range tableFormats {
		says(t, got.formats[format], fmt.Sprintf("%d opened", c.Opened), why)
	}
	t.Logf("%+v; %d sent again", c, got.arm().Resent)
}

// retriedAtMost checks a library's run: what is not OK is a second try that is not proven harmless, by name.
func retriedAtMost(t *testing.T, got told, n int64) {
	t.Helper()
	a := got.arm()
	if a.Sent != n || a.OK+a.Failed != n {
		t.Errorf("%+v, want %d", a.Counts, n)
	}
	for _, e := range a.Errors {
		if e.Class != "retried" {
			t.Errorf("errors %+v", e)
		}
	}
}

// K28: a grpc-go server with MaxConnectionAge, and a grace for what is in flight: no call is lost.
func TestMaxConnectionAge(t *testing.T) {
	t.Parallel()
	for _, w := range rpcWays {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			s, urls := serve(t, plainPlant("age=300ms+1s,delay=2ms"))
			got := measure(t, exitOK, "run", urls["grpc hello"], "-d", `{"greeting":"x"}`, "-z", "2s", "-c", "40", "--connections", "2", "--streams", "20",
				"--client", w.client, "--stop", "wait", "--server-stats", s.AdminURL())
			a := got.arm()
			if a.OK == 0 || a.Unfinished != 0 || a.ServerStats.Conserve != "ok" || s.Stats().Received < a.OK || s.Stats().Received > a.Sent+a.Resent {
				t.Errorf("%+v, the server counts %+v", a.Counts, s.Stats())
			}
			retriedAtMost(t, got, a.Sent) // who waited for a new connection when the time was over was not sent
			renewed(t, got, "goaway", 2)
		})
	}
}

// K28: a hostile server whose GOAWAY names a last id below streams that it has received, every 1,000 streams. Such a
// call is sent once more, for it is provably unprocessed; it is one call, and the number of second sends is told.
func TestGoAwayBelowWhatWasReceived(t *testing.T) {
	t.Parallel()
	for _, w := range rpcWays {
		t.Run("the bare server, "+w.String(), func(t *testing.T) {
			t.Parallel()
			contract := written(t, "t.proto", protoFile)
			url := "grpc://" + listen(t, (&hostile.HTTP2{Handle: hostile.Echo, GoAway: 1000}).Play) + "/t.Svc/Echo"
			got := measure(t, exitOK, "run", url, "--proto", contract, "-d", `{"id":1}`, "-n", "20000", "-c", "40", "--connections", "2", "--streams", "20", "--client", w.client)
			resentAndTold(t, got, w)
		})
	}
	eachWay(t, streamWays, func(t *testing.T, w way) {
		s, urls := serve(t, plainPlant("goaway=1000"))
		got := measure(t, exitOK, append(ageing(urls[w.scheme+" hello"], w, 20_000), "--server-stats", s.AdminURL())...)
		a := got.arm()
		if server := s.Stats().Received; server < a.OK || server > a.Sent+a.Resent || a.ServerStats.Conserve != "ok" {
			t.Errorf("%+v, the server counts %d: %s", a.Counts, server, a.ServerStats.Conserve)
		}
		resentAndTold(t, got, w)
	})
}

func resentAndTold(t *testing.T, got told, w way) {
	t.Helper()
	a := got.arm()
	if w.client == "stack" {
		retriedAtMost(t, got, 20_000)
	} else {
		exactly(t, got, 20_000, 20_000)
	}
	if a.Resent < 18 {
		t.Errorf("%d calls were sent again, and each GOAWAY leaves one unprocessed at least", a.Resent)
	}
	for _, format := range tableFormats {
		says(t, got.formats[format], "sent again, provably not processed before")
	}
	renewed(t, got, "goaway", 18)
}

// K31: a server that closes idle connections. Each call pays for its own connection, opened when it is due. What noise
// can bring about is allowed for: a call that races with the close is counted as what it is, and a connection may live
// on when a pause was shorter than it was meant to be. The exact counts are on a fake clock in load.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s, urls := serve(t, plainPlant("idle=100ms"))
		got := measure(t, exitOK, "run", urls[w.scheme+" hello"], "-d", `{"greeting":"x"}`, "-r", "2.5", "-n", "10", "--connections", "1",
			"--max-errors", "100%", "--client", w.client, "--server-stats", s.AdminURL())
		a := got.arm()
		if a.Due != 10 || a.OK+a.Failed != 10 || a.OK == 0 || s.Stats().Received > a.Sent+a.Resent {
			t.Errorf("%+v, the server counts %+v", a.Counts, s.Stats())
		}
		for _, e := range a.Errors {
			if !slices.Contains([]string{"closed", "reset", "retried", "unprocessed"}, e.Class) {
				t.Errorf("a failure of class %s: %s", e.Class, e.Message)
			}
		}
		if a.Connections.Opened < 2 || s.Stats().Connections < 2 {
			t.Errorf("%+v, the server took %d connections; want new ones for calls after a pause", a.Connections, s.Stats().Connections)
		}
		why := "goaway"
		if w.scheme == "http" {
			why = "closed by server"
		}
		says(t, got.stdout, fmt.Sprintf("%d opened", a.Connections.Opened), why)
		t.Logf("%+v", a.Connections)
	})
}
