//lint:file-ignore SA1019 v1alpha is what older servers speak

package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	reflectv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"

	"wiregauge/lab/wgpb"
)

func TestEveryProtocolAnswersTheSame(t *testing.T) {
	s := serve(t, ServeConfig{})
	want := &wgpb.CheckReply{Sku: "A1", InStock: 42, Warehouse: "ams-1"}
	want.InStock, want.Warehouse = stock("A1")
	want.Available = want.InStock >= 2
	for _, protocol := range Protocols() {
		t.Run(protocol, func(t *testing.T) {
			switch protocol {
			case "tcp", "tls":
				checkFrames(t, s, protocol)
			case "grpc", "grpcs":
				got, err := wgpb.NewInventoryClient(dialRPC(t, s, protocol)).Check(t.Context(), &wgpb.CheckRequest{Sku: "A1", Quantity: 2})
				if err != nil || got.String() != want.String() {
					t.Fatalf("got %v, %v; want %v", got, err, want)
				}
			case "rsocket+tcp", "rsocket+ws", "rsocket+tls", "rsocket+wss":
				answer, failure := connect(t, s, protocol, jsonType, 0).call("inventory.check", []byte(`{"sku":"A1","quantity":2}`))
				var got checkAnswer
				if err := json.Unmarshal(answer, &got); err != nil || got.InStock != want.InStock || got.Available != want.Available {
					t.Fatalf("got %s %s, want %v", answer, failure, want)
				}
			default:
				code, body := post(t, s, protocol, "inventory", "", `{"sku":"A1","quantity":2}`)
				var got checkAnswer
				if err := json.Unmarshal([]byte(body), &got); err != nil || code != 200 {
					t.Fatalf("status %d, body %s", code, body)
				}
				if got.SKU != "A1" || got.InStock != want.InStock || got.Available != want.Available || got.Warehouse != want.Warehouse {
					t.Fatalf("got %+v, want %v", got, want)
				}
			}
		})
	}
}

func TestRESTServices(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: []string{"http"}})
	base := "http://" + hostOf(t, endpoint(t, s, "hello", "http"))
	rows := []struct {
		name, verb, path, kind, body string
		code                         int
		want                         string
	}{
		{"hello", "POST", "/v1/hello", jsonType, `{"greeting":"you"}`, 200, `{"reply":"hello you"}`},
		{"hello by path", "GET", "/v1/hello/you%20two", "", "", 200, `{"reply":"hello you two"}`},
		{"random", "POST", "/v1/random", jsonType, `{"randomString":"x","randomInt":-7}`, 200, `{"randomString":"x","randomInt":-7}`},
		{"inventory by path", "GET", "/v1/inventory/zz?quantity=100", "", "", 200, `"available":false`},
		{"echo of JSON", "POST", "/v1/echo", jsonType, `{"payload":"AQI="}`, 200, `{"payload":"AQI="}`},
		{"echo of bytes", "POST", "/v1/echo", "text/plain", "\x00\xff raw", 200, "\x00\xff raw"},
		{"echo of nothing", "POST", "/v1/echo", "", "", 200, ""},
		{"a stream of JSON lines", "POST", "/v1/echo/stream", jsonType, `{"payload":"AQI=","count":2}`, 200, "{\"payload\":\"AQI=\"}\n{\"payload\":\"AQI=\"}\n"},
		{"broken JSON", "POST", "/v1/hello", jsonType, `{"greeting":`, 400, `"error"`},
		{"a number that is none", "GET", "/v1/inventory/x?quantity=many", "", "", 400, "many"},
		{"an unknown path", "POST", "/v1/nothing", jsonType, `{}`, 404, "not found"},
		{"a wrong verb", "DELETE", "/v1/hello", "", "", 405, "Method Not Allowed"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), row.verb, base+row.path, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", row.kind)
			code, body := do(t, http.DefaultClient, r)
			if code != row.code || !strings.Contains(body, row.want) || row.want == "" && body != "" {
				t.Fatalf("status %d, body %q; want %d and %q", code, body, row.code, row.want)
			}
		})
	}
}

// played are plants under which grpc-go answers, and the hostile server in its place.
var played = map[string]string{"grpc-go": "", "the hostile server": "goaway=1000"}

func TestEchoShapesOverGRPC(t *testing.T) {
	for by, plant := range played {
		t.Run(by, func(t *testing.T) { echoShapes(t, plant) })
	}
}

func echoShapes(t *testing.T, plant string) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"grpc"}, Plant: plant})
	c := wgpb.NewEchoClient(dialRPC(t, s, "grpc"))
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB
	got, err := c.Echo(t.Context(), &wgpb.EchoMessage{Payload: big}, grpc.MaxCallRecvMsgSize(1<<30))
	if err != nil || !bytes.Equal(got.Payload, big) {
		t.Fatalf("16 MiB came back as %d bytes, %v", len(got.GetPayload()), err)
	}
	down, err := c.ServerStream(t.Context(), &wgpb.EchoMessage{Payload: []byte("x"), Count: 3})
	if n := drain(t, down, err); n != 3 {
		t.Errorf("the server stream had %d messages, want 3", n)
	}
	up, err := c.ClientStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := up.Send(&wgpb.EchoMessage{Payload: make([]byte, 25)}); err != nil {
			t.Fatal(err)
		}
	}
	if sum, err := up.CloseAndRecv(); err != nil || sum.Messages != 4 || sum.Bytes != 100 {
		t.Errorf("the client stream was summed up as %v, %v", sum, err)
	}
	both, err := c.BidiStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := both.Send(&wgpb.EchoMessage{Payload: []byte{byte(i)}}); err != nil {
			t.Fatal(err)
		}
		if m, err := both.Recv(); err != nil || m.Payload[0] != byte(i) {
			t.Fatalf("message %d came back as %v, %v", i, m, err)
		}
	}
	both.CloseSend()
	if _, err := both.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the bidi stream is %v", err)
	}
}

func TestReflectionAndHealth(t *testing.T) {
	for by, plant := range played {
		t.Run(by, func(t *testing.T) { reflectionAndHealth(t, plant) })
	}
}

func reflectionAndHealth(t *testing.T, plant string) {
	s := serve(t, ServeConfig{Services: []string{"inventory"}, Protocols: []string{"grpcs"}, Plant: plant})
	conn := dialRPC(t, s, "grpcs")
	health, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "wg.v1.Inventory"})
	if err != nil || health.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", health, err)
	}
	v1, err := reflectv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v1.Send(&reflectv1.ServerReflectionRequest{MessageRequest: &reflectv1.ServerReflectionRequest_ListServices{}})
	list, err := v1.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list.GetListServicesResponse().Service {
		names = append(names, e.Name)
	}
	if !slices.Contains(names, "wg.v1.Inventory") || slices.Contains(names, "wg.v1.Hello") {
		t.Errorf("reflection lists %v", names)
	}
	alpha, err := reflectv1alpha.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	alpha.Send(&reflectv1alpha.ServerReflectionRequest{MessageRequest: &reflectv1alpha.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "wg.v1.Inventory.Check"}})
	if file, err := alpha.Recv(); err != nil || len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Errorf("v1alpha knows no file of the method: %v, %v", file, err)
	}
	if got := s.Stats(); got.Received != 0 {
		t.Errorf("reflection and health were counted: %+v", got)
	}
}

func TestStatsCountWhatWasReceived(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: []string{"http", "h2c", "grpc", "tcp"}})
	for range 3 {
		post(t, s, "http", "hello", "", `{"greeting":"x"}`)
		post(t, s, "h2c", "hello", "status=503", `{"greeting":"x"}`)
	}
	conn := dialRPC(t, s, "grpc")
	wgpb.NewHelloClient(conn).SayHello(t.Context(), &wgpb.HelloRequest{})
	checkFrames(t, s, "tcp")
	var got Stats
	admin(t, "GET", s.AdminURL()+"/stats", &got)
	want := map[string]MethodStats{
		"http1 POST /v1/hello":       {Received: 3, Answered: 3},
		"http2 POST /v1/hello":       {Received: 3, Failed: 3},
		"grpc /wg.v1.Hello/SayHello": {Received: 1, Answered: 1},
		"tcp":                        {Received: 4, Answered: 4},
	}
	if len(got.Methods) != len(want) {
		t.Errorf("methods: %v", got.Methods)
	}
	for name, w := range want {
		g := got.Methods[name]
		if g.Received != w.Received || g.Answered != w.Answered || g.Failed != w.Failed || g.Service.Count != w.Received || g.Service.P50NS == nil {
			t.Errorf("%s: %+v, want %+v", name, g, w)
		}
	}
	if got.Received != 11 || got.Answered != 8 || got.Failed != 3 || got.Service.Count != 11 || got.Connections < 4 {
		t.Errorf("in all: %+v", got)
	}
	admin(t, "POST", s.AdminURL()+"/reset", &got)
	var after Stats
	admin(t, "GET", s.AdminURL()+"/stats?reset", &after)
	if got.Received != 11 || after.Received != 0 || after.Service.P50NS != nil || len(after.Methods) != 0 {
		t.Errorf("the reset gave %+v, after it there was %+v", got, after)
	}
}

func TestPorts(t *testing.T) {
	t.Run("free ports are below the kernel's own", func(t *testing.T) {
		s := serve(t, ServeConfig{Services: []string{"hello"}})
		for _, e := range s.Endpoints() {
			var port int
			fmt.Sscanf(hostOf(t, e.URL), "127.0.0.1:%d", &port)
			if port < firstFreePort || port > lastFreePort {
				t.Errorf("%s has port %d", e.URL, port)
			}
		}
	})
	t.Run("a first port counts on", func(t *testing.T) {
		first, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Serve(t.Context(), ServeConfig{Services: []string{"hello"}, Protocols: []string{"http", "grpc"}, Port: first})
		if err != nil {
			// A neighbour may hold the second port; then the error has to say which.
			if !strings.Contains(err.Error(), "counted from --port") {
				t.Fatal(err)
			}
			return
		}
		defer s.Close()
		want := []string{fmt.Sprintf("http://127.0.0.1:%d/v1/hello", first), fmt.Sprintf("grpc://127.0.0.1:%d/wg.v1.Hello/SayHello", first+1)}
		for i, e := range s.Endpoints() {
			if e.URL != want[i] {
				t.Errorf("endpoint %d is %s, want %s", i, e.URL, want[i])
			}
		}
	})
	t.Run("a taken port is named", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		_, err = Serve(t.Context(), ServeConfig{Port: port})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(port)) {
			t.Errorf("got %v", err)
		}
	})
}

func TestUnixSockets(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, ServeConfig{Unix: dir, Services: []string{"hello"}})
	var urls []string
	for _, e := range s.Endpoints() {
		urls = append(urls, e.URL)
	}
	want := []string{
		"http+unix://" + dir + "/http.sock?path=/v1/hello",
		"h2c+unix://" + dir + "/http.sock?path=/v1/hello",
		"grpc+unix://" + dir + "/grpc.sock?method=/wg.v1.Hello/SayHello",
		"rsocket+tcp+unix://" + dir + "/rsocket+tcp.sock?path=/hello",
		"tcp+unix://" + dir + "/tcp.sock",
	}
	if !slices.Equal(urls, want) {
		t.Errorf("endpoints %q, want %q", urls, want)
	}
	conn, err := grpc.NewClient("unix:"+dir+"/grpc.sock", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if a, err := wgpb.NewHelloClient(conn).SayHello(t.Context(), &wgpb.HelloRequest{Greeting: "u"}); err != nil || a.Reply != "hello u" {
		t.Errorf("got %v, %v", a, err)
	}
	s.Close()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("sockets are left: %v", left)
	}
}

func TestWrongConfigurations(t *testing.T) {
	rows := []struct {
		name   string
		config ServeConfig
		want   string
	}{
		{"a service that is not there", ServeConfig{Services: []string{"helo"}}, `no service "helo"; did you mean hello? There are hello, random, inventory, echo`},
		{"a protocol that is not there", ServeConfig{Protocols: []string{"quic"}}, `no protocol "quic"`},
		{"a port out of range", ServeConfig{Port: 70000}, "70000"},
		{"a truth that is none", ServeConfig{Truth: "S99"}, `no case "S99"; did you mean S9? There are S1, S2`},
		{"a truth and a plant", ServeConfig{Truth: "S2", Plant: "size=1"}, "a plant (size=1) or a truth (S2), not both"},
		{"a plant that is none", ServeConfig{Plant: "dely=1s"}, `no key "dely"; did you mean delay? The keys are delay, random, stall`},
		{"TLS protocols without TLS", ServeConfig{Protocols: []string{"grpcs"}, Plain: true}, "nothing to serve"},
		{"a host that is not ours", ServeConfig{Host: "192.0.2.1"}, "192.0.2.1"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, err := Serve(t.Context(), row.config)
			if err == nil {
				s.Close()
				t.Fatal("it was taken")
			}
			if !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %q, want %q in it", err, row.want)
			}
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Serve(ctx, ServeConfig{Plant: "hang"})
	if err != nil {
		t.Fatal(err)
	}
	hung := make(chan error, 1)
	go func() {
		_, err := http.Post(endpoint(t, s, "hello", "http"), jsonType, strings.NewReader("{}"))
		hung <- err
	}()
	until(t, func() bool { return s.Stats().Received > 0 }) // the call has to be inside before the server goes
	cancel()
	s.Close()
	if err := <-hung; err == nil {
		t.Error("a call that hangs was answered")
	}
	for _, e := range s.Endpoints() {
		if c, err := net.Dial("tcp", hostOf(t, e.URL)); err == nil {
			c.Close()
			t.Errorf("%s still listens", e.URL)
		}
	}
	if _, err := os.Stat(s.CAFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the CA's file is left: %v", err)
	}
	if s.Close() != nil {
		t.Error("a second Close fails")
	}
}

func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Log("curl is not installed; net/http stands in for it in the other tests")
		return
	}
	s := serve(t, ServeConfig{Services: []string{"hello"}})
	rows := []struct{ name, flag, protocol, version string }{
		{"HTTP/1.1", "--http1.1", "http", "1.1"},
		{"HTTP/2 with prior knowledge", "--http2-prior-knowledge", "h2c", "2"},
		{"HTTP/1.1 over TLS", "--http1.1", "https", "1.1"},
		{"HTTP/2 over TLS", "--http2", "https", "2"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			u := strings.Replace(endpoint(t, s, "hello", row.protocol), "h2c://", "http://", 1)
			out, err := exec.CommandContext(t.Context(), curl, "-sS", row.flag, "--cacert", s.CAFile(),
				"-d", `{"greeting":"curl"}`, "-w", " %{http_version}", u).CombinedOutput()
			if want := `{"reply":"hello curl"} ` + row.version; err != nil || string(out) != want {
				t.Errorf("curl says %q, %v; want %q", out, err, want)
			}
		})
	}
}
