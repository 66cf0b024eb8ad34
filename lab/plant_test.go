package lab

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"wiregauge/lab/wgpb"
)

// asked is a clock on which sleeping takes no time and is written down, and which moves when it is told to.
type asked struct {
	mu    sync.Mutex
	now   time.Duration
	slept []time.Duration
}

func (a *asked) Now() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

func (a *asked) Sleep(ctx context.Context, d time.Duration) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.slept = append(a.slept, d)
	return ctx.Err()
}

func (a *asked) take() []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	slept := a.slept
	a.slept = nil
	return slept
}

func (a *asked) move(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now += d
}

// webProtocols are those on which hello is posted, rpcProtocols those on which it is called.
var (
	webProtocols = []string{"http", "h2c", "https", "h2"}
	rpcProtocols = []string{"grpc", "grpcs"}
)

// helloOnce calls hello once, on any protocol but the floor, and names the end in one word that is the same for all:
// "ok", "503", "lost".
func helloOnce(t *testing.T, s *Server, protocol, plant string) string {
	t.Helper()
	if slices.Contains(rpcProtocols, protocol) {
		return helloRPC(t, s, protocol, plant)
	}
	if isRSocket(protocol) {
		return helloOverRSocket(connect(t, s, protocol, jsonType, 0), plantMIME, plant)
	}
	code, body := post(t, s, protocol, "hello", plant, `{"greeting":"x"}`)
	switch {
	case code == 200 && strings.Contains(body, "hello x"):
		return "ok"
	case code == 0:
		return "lost"
	}
	return http.StatusText(code)
}

func helloRPC(t *testing.T, s *Server, protocol, plant string) string {
	t.Helper()
	ctx := t.Context()
	if plant != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, plantHeaderName, plant)
	}
	a, err := wgpb.NewHelloClient(dialRPC(t, s, protocol)).SayHello(ctx, &wgpb.HelloRequest{Greeting: "x"})
	switch code := status.Code(err); {
	case err == nil && a.Reply == "hello x":
		return "ok"
	case code == codes.Internal || code == codes.Unavailable && !strings.Contains(err.Error(), plantedText):
		return "lost"
	case code == codes.Unavailable:
		return "Service Unavailable"
	case code == codes.ResourceExhausted:
		return "Too Many Requests"
	case code == codes.InvalidArgument:
		return "Bad Request"
	default:
		return code.String()
	}
}

func TestPlantsOnEveryProtocol(t *testing.T) {
	rows := []struct {
		name, plant string
		want        string // of ten calls, one after the other
		received    int64
	}{
		{"nothing", "", "ok ok ok ok ok ok ok ok ok ok", 10},
		{"every second fails", "status=503/2", "ok 503 ok 503 ok 503 ok 503 ok 503", 10},
		{"too many", "status=429/5", "ok ok ok ok 429 ok ok ok ok 429", 10},
		{"every fifth is reset", "reset=/5", "ok ok ok ok lost ok ok ok ok lost", 10},
		{"every third breaks off", "cut=/3", "ok ok lost ok ok lost ok ok lost ok", 10},
	}
	words := strings.NewReplacer("503", "Service_Unavailable", "429", "Too_Many_Requests")
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, ServeConfig{Services: []string{"hello"}, Plant: row.plant})
			for _, protocol := range append(webProtocols, rpcProtocols...) {
				// A plant counts over all protocols, and ten calls leave every row where it began or nearly so.
				one := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{protocol}, Plant: row.plant})
				var got []string
				for range 10 {
					got = append(got, strings.ReplaceAll(helloOnce(t, one, protocol, ""), " ", "_"))
				}
				if g, w := strings.Join(got, " "), words.Replace(row.want); g != w {
					t.Errorf("%s: %s\nwant %s", protocol, g, w)
				}
				if n := one.Stats().Received; n != row.received {
					t.Errorf("%s: %d received, want %d", protocol, n, row.received)
				}
			}
			if got := s.Stats().Received; got != 0 {
				t.Errorf("a server that nobody called received %d", got)
			}
		})
	}
}

// Both libraries send a refused call again on their own, so every second refusal shows in the counts only: four
// calls are seven streams.
func TestRefusedStreams(t *testing.T) {
	for _, protocol := range []string{"h2c", "h2", "grpc", "grpcs"} {
		t.Run(protocol, func(t *testing.T) {
			s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{protocol}, Plant: "refuse=/2"})
			for range 4 {
				if got := helloOnce(t, s, protocol, ""); got != "ok" {
					t.Errorf("a call that may be sent again ends %s", got)
				}
			}
			if got := s.Stats(); got.Received != 7 || got.Answered != 4 || got.Failed != 3 {
				t.Errorf("received %d, answered %d, failed %d; want 7, 4, 3", got.Received, got.Answered, got.Failed)
			}
		})
	}
}

func TestPlantsByHeader(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"hello"}})
	for _, protocol := range append(webProtocols, rpcProtocols...) {
		var got []string
		plant := "status=503/2,size=" + map[bool]string{true: "10", false: "20"}[protocol == "http"] // a header of its own
		s.byHeader = planters{}
		for range 4 {
			got = append(got, helloOnce(t, s, protocol, plant))
		}
		if want := []string{"ok", "Service Unavailable", "ok", "Service Unavailable"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", protocol, got, want)
		}
		for _, bad := range []string{"dely=1s", "streams=5"} {
			if got := helloOnce(t, s, protocol, bad); got != "Bad Request" {
				t.Errorf("%s: the plant %q is answered %s", protocol, bad, got)
			}
		}
	}
	if got := helloOnce(t, s, "grpc", "reset"); got != "Bad Request" {
		t.Errorf("a reset that grpc-go cannot play is answered %s", got)
	}
	if got := helloOnce(t, s, "h2c", "reset"); got != "lost" {
		t.Errorf("a reset by header is answered %s", got)
	}
}

func TestHeaderPlantsAreBounded(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"http"}})
	for i := range 3 * maxHeaderPlants {
		if _, err := s.planterFor("delay=" + time.Duration(i).String()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.byHeader.byID); n > maxHeaderPlants {
		t.Errorf("%d planters are kept", n)
	}
}

func TestDelaysThatAreAsked(t *testing.T) {
	for _, protocol := range slices.Concat(webProtocols, rpcProtocols, rsocketNames) {
		t.Run(protocol, func(t *testing.T) {
			clock := &asked{}
			s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{protocol}, Plant: "delay=5ms,stall=1s/10s", Clock: clock})
			helloOnce(t, s, protocol, "")
			clock.move(9500 * time.Millisecond)
			helloOnce(t, s, protocol, "")
			if got, want := clock.take(), []time.Duration{5 * time.Millisecond, 505 * time.Millisecond}; !slices.Equal(got, want) {
				t.Errorf("slept %v, want %v", got, want)
			}
			helloOnce(t, s, protocol, "delay=7ms")
			if got, want := clock.take(), []time.Duration{7 * time.Millisecond}; !slices.Equal(got, want) {
				t.Errorf("by header: slept %v, want %v", got, want)
			}
		})
	}
}

func TestSlowBody(t *testing.T) {
	ms := time.Millisecond
	clock := &asked{}
	s := serve(t, ServeConfig{Services: []string{"hello"}, Plant: "body=1ms:51ms:10", Clock: clock})
	for _, protocol := range webProtocols {
		if got := helloOnce(t, s, protocol, ""); got != "ok" {
			t.Errorf("%s: %s", protocol, got)
		}
		if got, want := clock.take(), []time.Duration{ms, 6 * ms, 11 * ms, 16 * ms, 21 * ms, 26 * ms, 31 * ms, 36 * ms, 41 * ms, 46 * ms, 51 * ms}; !slices.Equal(got, want) {
			t.Errorf("%s: slept %v, want %v", protocol, got, want)
		}
	}
	for _, protocol := range rpcProtocols {
		if got := helloOnce(t, s, protocol, ""); got != "ok" {
			t.Errorf("%s: %s", protocol, got)
		}
		if got, want := clock.take(), []time.Duration{ms, 51 * ms}; !slices.Equal(got, want) {
			t.Errorf("%s: slept %v, want %v", protocol, got, want)
		}
	}
}

func TestResponseSize(t *testing.T) {
	s := serve(t, ServeConfig{Plant: "size=1000"})
	for _, protocol := range []string{"http", "h2c"} {
		for _, service := range []string{"hello", "inventory", "random", "echo"} {
			if _, body := post(t, s, protocol, service, "", "{}"); len(body) < 1000 || len(body) > 1500 {
				t.Errorf("%s on %s answers %d bytes", service, protocol, len(body))
			}
		}
	}
	a, err := wgpb.NewEchoClient(dialRPC(t, s, "grpc")).Echo(t.Context(), &wgpb.EchoMessage{Payload: []byte("abc")})
	if err != nil || len(a.Payload) != 1003 || string(a.Payload[:3]) != "abc" {
		t.Errorf("the echo answers %d bytes, %v", len(a.GetPayload()), err)
	}
}

// A connection is asked to go away after its number of requests: a client that obeys needs that many connections.
func TestConnectionsAreAged(t *testing.T) {
	rows := []struct {
		protocol, plant string
		least, most     int64 // connections for 12 calls, one after the other
	}{
		{"http", "requests=4", 3, 3},
		{"https", "requests=4", 3, 3},
		{"h2c", "requests=4", 3, 4}, // the client may take the answer before it reads the GOAWAY
		{"h2", "requests=4", 3, 4},
		{"grpc", "requests=4", 3, 3},
		{"grpcs", "requests=4", 3, 3},
		{"h2c", "goaway=4", 4, 4},
		{"grpc", "goaway=4", 4, 4},
		{"http", "age=1s", 3, 3}, // the clock of this test moves by 300 ms a call
	}
	for _, row := range rows {
		t.Run(row.protocol+" "+row.plant, func(t *testing.T) {
			clock := &asked{}
			s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{row.protocol}, Plant: row.plant, Clock: clock})
			twelveCalls(t, s, row.protocol, clock)
			if got := s.Stats(); got.Answered != 12 || got.Connections < row.least || got.Connections > row.most {
				t.Errorf("%d calls on %d connections, want 12 on %d to %d", got.Answered, got.Connections, row.least, row.most)
			}
		})
	}
}

func twelveCalls(t *testing.T, s *Server, protocol string, clock *asked) {
	t.Helper()
	if protocol == "grpc" || protocol == "grpcs" {
		c := wgpb.NewHelloClient(dialRPC(t, s, protocol))
		for range 12 {
			if _, err := c.SayHello(t.Context(), &wgpb.HelloRequest{}); err != nil {
				t.Error(err)
			}
		}
		return
	}
	c := httpClient(t, s, protocol)
	u := strings.NewReplacer("h2c://", "http://", "h2://", "https://").Replace(endpoint(t, s, "hello", protocol))
	for range 12 {
		r, err := http.NewRequestWithContext(t.Context(), "POST", u, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if code, body := do(t, c, r); code != 200 {
			t.Errorf("%d %s", code, body)
		}
		clock.move(300 * time.Millisecond)
	}
}

func TestPlantsThatCannotBe(t *testing.T) {
	rows := []struct {
		protocols   []string
		plant, want string
	}{
		{[]string{"http", "tcp"}, "refuse=/5", "for h2c, h2, grpc and grpcs"},
		{[]string{"http"}, "goaway=5", "for h2c, h2, grpc and grpcs"},
		{[]string{"grpc"}, "reset=/5,age=1s", "do not go with"},
		{[]string{"h2c"}, "goaway=5,idle=1s", "do not go with"},
	}
	for _, row := range rows {
		s, err := Serve(t.Context(), ServeConfig{Protocols: row.protocols, Plant: row.plant})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s on %v: got %v, want %q", row.plant, row.protocols, err, row.want)
		}
	}
}
