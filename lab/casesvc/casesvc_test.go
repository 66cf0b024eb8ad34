//lint:file-ignore SA1019 v1alpha is what older servers speak

package casesvc

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	reflectv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"

	"wiregauge/lab/casesvc/tpb"
)

// quick is a clock on which waiting takes no time and is added up.
type quick struct{ slept time.Duration }

func (q *quick) Now() time.Duration { return 0 }
func (q *quick) Sleep(ctx context.Context, d time.Duration) error {
	q.slept += d
	return ctx.Err()
}

func TestUnaryOverGRPC(t *testing.T) {
	clock := &quick{}
	s := start(t, Options{Clock: clock})
	c := tpb.NewSvcClient(dial(t, s))
	q := &tpb.M{Id: 1000000000000000089, U: []uint64{1<<64 - 1}}
	if got, err := c.Echo(t.Context(), q); err != nil || got.Id != q.Id || got.U[0] != q.U[0] {
		t.Errorf("Echo: %v, %v", got, err)
	}
	want := "08d98090bbbad6adf00d" + "320affffffffffffffffff01"
	if m := s.Messages(); len(m) != 1 || hex.EncodeToString(m[0].Bytes) != want || m[0].Method != "Echo" || m[0].Protocol != "grpc" {
		t.Errorf("recorded %x, want %s", m, want)
	}
	if _, err := c.Slow(t.Context(), q); err != nil || clock.slept != 100*time.Millisecond {
		t.Errorf("Slow slept %v, %v", clock.slept, err)
	}
	clock.slept = 0
	for i := range 4 {
		_, err := c.Half(t.Context(), q)
		if failed := status.Code(err) == codes.Internal && status.Convert(err).Message() == FailureText; failed != (i%2 == 1) {
			t.Errorf("call %d of Half: %v", i+1, err)
		}
	}
	if clock.slept != 400*time.Millisecond {
		t.Errorf("two failures of Half took %v", clock.slept)
	}
	if _, err := c.Fail(t.Context(), q); status.Code(err) != codes.Internal {
		t.Errorf("Fail: %v", err)
	}
	if n := s.Calls("Half"); n != 4 {
		t.Errorf("%d calls of Half were counted", n)
	}
	s.Reset()
	if s.Calls("Half") != 0 || len(s.Messages()) != 0 {
		t.Error("Reset forgets nothing")
	}
}

func TestHangIsGivenUp(t *testing.T) {
	s := start(t, Options{})
	c := tpb.NewSvcClient(dial(t, s))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	go func() { _, err := c.Hang(ctx, &tpb.M{}); done <- err }()
	go func() {
		r, _ := http.NewRequestWithContext(ctx, "POST", s.URL("http", "Hang"), strings.NewReader("{}"))
		_, err := http.DefaultClient.Do(r)
		done <- err
	}()
	until(t, func() bool { return s.Calls("Hang") >= 2 }) // both have to be inside
	cancel()
	if a, b := <-done, <-done; a == nil || b == nil {
		t.Errorf("Hang answers: %v, %v", a, b)
	}
	until(t, func() bool { return s.Canceled("Hang") >= 2 }) // the server learns of it a little later
}

func TestStreamsOverGRPC(t *testing.T) {
	s := start(t, Options{})
	c := tpb.NewSvcClient(dial(t, s))
	down, err := c.Stream(t.Context(), &tpb.M{S: "x"})
	n := 0
	for ; err == nil; n++ {
		var m *tpb.M
		if m, err = down.Recv(); err == nil && m.S != "x" {
			t.Errorf("message %d is %v", n, m)
		}
	}
	if n != 11 || !errors.Is(err, io.EOF) {
		t.Errorf("%d messages, %v", n-1, err)
	}
	up, err := c.Up(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		up.Send(&tpb.M{})
	}
	if got, err := up.CloseAndRecv(); err != nil || got.Id != 300 {
		t.Errorf("Up: %v, %v", got, err)
	}
	both, err := c.BidiEcho(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		both.Send(&tpb.M{Id: i})
		if got, err := both.Recv(); err != nil || got.Id != i {
			t.Errorf("BidiEcho: %v, %v", got, err)
		}
	}
	both.CloseSend()
	if _, err := both.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("BidiEcho ends with %v", err)
	}
}

func TestAnEndlessStreamIsCancelled(t *testing.T) {
	s := start(t, Options{Messages: -1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	down, err := tpb.NewSvcClient(dial(t, s)).Stream(ctx, &tpb.M{})
	for range 30 {
		if err == nil {
			_, err = down.Recv()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	until(t, func() bool { return s.Canceled("Stream") == 1 }) // the server learns of it a little later
}

func TestOverHTTP(t *testing.T) {
	rows := []struct {
		name, method, kind, body string
		code                     int
		want                     string
	}{
		{"an echo of JSON", "Echo", "application/json", `{"id":"7"}`, 200, `{"id":"7"}`},
		{"an echo of protobuf", "Echo", "application/protobuf", "\x08\x07", 200, "\x08\x07"},
		{"slow", "Slow", "application/json", `{}`, 200, `{}`},
		{"half, first", "Half", "application/json", `{}`, 200, `{}`},
		{"half, second", "Half", "application/json", `{}`, 500, FailureText},
		{"a failure", "Fail", "application/json", `{}`, 500, FailureText},
		{"a stream", "Stream", "application/json", `{"s":"x"}`, 200, strings.Repeat("{\"s\":\"x\"}\n", 10)},
		{"messages up", "Up", "application/x-ndjson", "{}\n\n{}\n{}", 200, `{"id":"3"}`},
		{"both ways", "BidiEcho", "application/x-ndjson", "{\"id\":1}\n{\"id\":2}\n", 200, "{\"id\":1}\n{\"id\":2}\n"},
		{"nothing there", "Nothing", "application/json", `{}`, 404, "404 page not found\n"},
	}
	for _, scheme := range []string{"http", "h2c", "https", "h2"} {
		t.Run(scheme, func(t *testing.T) {
			s := start(t, Options{Clock: &quick{}, TLS: scheme == "https" || scheme == "h2"})
			c := client(s, scheme)
			u := strings.NewReplacer("h2c:", "http:", "h2:", "https:")
			for _, row := range rows {
				a, err := c.Post(u.Replace(s.URL(scheme, row.method)), row.kind, strings.NewReader(row.body))
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(a.Body)
				a.Body.Close()
				if err != nil || a.StatusCode != row.code || string(got) != row.want {
					t.Errorf("%s: %d %q, %v; want %d %q", row.name, a.StatusCode, got, err, row.code, row.want)
				}
			}
			if m := s.Messages(); string(m[0].Bytes) != `{"id":"7"}` || m[0].Protocol != "http" {
				t.Errorf("the first message recorded is %q", m[0])
			}
		})
	}
}

func TestLargeMessages(t *testing.T) {
	s := start(t, Options{TLS: true})
	b := bytes.Repeat([]byte("x"), 16<<20)
	got, err := tpb.NewSvcClient(dial(t, s)).Echo(t.Context(), &tpb.M{B: b}, grpc.MaxCallRecvMsgSize(1<<30))
	if err != nil || !bytes.Equal(got.B, b) {
		t.Errorf("16 MiB come back as %d bytes, %v", len(got.GetB()), err)
	}
}

func TestSlowTail(t *testing.T) {
	clock := &quick{}
	s := start(t, Options{Clock: clock, SlowFrom: 9, SlowBy: time.Second, Keep: 5})
	c := tpb.NewSvcClient(dial(t, s))
	for range 10 {
		if _, err := c.Echo(t.Context(), &tpb.M{}); err != nil {
			t.Fatal(err)
		}
	}
	if clock.slept != 2*time.Second || s.Calls("Echo") != 10 || len(s.Messages()) != 5 {
		t.Errorf("slept %v, counted %d, kept %d; want 2s, 10, 5", clock.slept, s.Calls("Echo"), len(s.Messages()))
	}
}

func TestReflectionVariants(t *testing.T) {
	const none, found, missing = "no such service", "found", "Symbol not found"
	rows := []struct {
		name                      string
		kind                      Reflection
		v1Method, v1Svc, v1aMehod string
	}{
		{"both", ReflectBoth, found, found, found},
		{"none", ReflectNone, none, none, none},
		{"v1alpha only", ReflectAlpha, none, none, found},
		{"the service, not the method", ReflectServiceOnly, missing, found, missing},
		{"names only", ReflectNames, missing, missing, missing},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			conn := dial(t, start(t, Options{Reflection: row.kind}))
			got := [3]string{v1(t, conn, "t.Svc.Echo"), v1(t, conn, "t.Svc"), v1alpha(t, conn, "t.Svc.Echo")}
			if want := [3]string{row.v1Method, row.v1Svc, row.v1aMehod}; got != want {
				t.Errorf("v1 method, v1 service, v1alpha method: %q, want %q", got, want)
			}
		})
	}
}

// v1 says in a word how v1 reflection answers for a symbol.
func v1(t *testing.T, conn *grpc.ClientConn, symbol string) string {
	t.Helper()
	stream, err := reflectv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream.Send(&reflectv1.ServerReflectionRequest{MessageRequest: &reflectv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol}})
	a, err := stream.Recv()
	return word(err, len(a.GetFileDescriptorResponse().GetFileDescriptorProto()), a.GetErrorResponse().GetErrorMessage())
}

// v1alpha is the same for v1alpha.
func v1alpha(t *testing.T, conn *grpc.ClientConn, symbol string) string {
	t.Helper()
	stream, err := reflectv1alpha.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream.Send(&reflectv1alpha.ServerReflectionRequest{MessageRequest: &reflectv1alpha.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol}})
	a, err := stream.Recv()
	return word(err, len(a.GetFileDescriptorResponse().GetFileDescriptorProto()), a.GetErrorResponse().GetErrorMessage())
}

func word(err error, files int, failure string) string {
	switch {
	case status.Code(err) == codes.Unimplemented:
		return "no such service"
	case err != nil:
		return err.Error()
	case files > 0:
		return "found"
	}
	before, _, _ := strings.Cut(failure, ":")
	return before
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func dial(t *testing.T, s *Server) *grpc.ClientConn {
	t.Helper()
	creds := insecure.NewCredentials()
	if s.CA() != nil {
		creds = credentials.NewTLS(s.CA().Client())
	}
	conn, err := grpc.NewClient(s.GRPC(), grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func client(s *Server, scheme string) *http.Client {
	var p http.Protocols
	p.SetHTTP1(scheme == "http" || scheme == "https")
	p.SetUnencryptedHTTP2(scheme == "h2c")
	p.SetHTTP2(scheme == "h2")
	tr := &http.Transport{Protocols: &p}
	if s.CA() != nil {
		tr.TLSClientConfig = s.CA().Client()
	}
	return &http.Client{Transport: tr}
}

// until waits for something that happens soon after what the test did; the test's own time limit is the only one.
func until(t *testing.T, happened func() bool) {
	t.Helper()
	for !happened() {
		select {
		case <-t.Context().Done():
			t.Fatal("it never happens")
		case <-time.After(time.Millisecond):
		}
	}
}
