package hostile

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"wiregauge/internal/testcert"
)

// Each play against the client that a Go programmer would use: what it reports shows that the play is what its
// name says. Plays that never end are cut by the client's reading, never by time.
func TestPlaysAgainstNetHTTP(t *testing.T) {
	rows := []struct{ play, want string }{ // "|" between what it may say
		{"closes at once", "EOF|server closed idle connection"},
		{"resets at once", "reset by peer"},
		{"garbage", "malformed HTTP response"},
		{"endless garbage", "malformed HTTP response"},
		{"another protocol's banner", "malformed HTTP"},
		{"http1: endless headers", "server response headers exceeded"},
		{"http1: endless status line", "server response headers exceeded"},
		{"http1: a body that breaks off", "unexpected EOF"},
		{"http1: a bad chunk size", "invalid byte in chunk length"},
		{"http1: a chunk size beyond all bounds", "chunk length too large"},
		{"http1: two lengths", "multiple"},
		{"http1: a negative length", "bad Content-Length"},
		{"http1: an answer of HTTP/0.9", "malformed HTTP response"},
		{"http1: endless 100 Continue", "server response headers exceeded"},
	}
	for _, row := range rows {
		t.Run(row.play, func(t *testing.T) {
			s := listen(t, play(t, row.play))
			tr := &http.Transport{}
			defer tr.CloseIdleConnections()
			a, err := (&http.Client{Transport: tr}).Post("http://"+s.Address(), "text/plain", strings.NewReader("body"))
			if err == nil {
				_, err = io.ReadAll(a.Body)
				a.Body.Close()
			}
			known := func(want string) bool { return err != nil && strings.Contains(err.Error(), want) }
			if !slices.ContainsFunc(strings.Split(row.want, "|"), known) {
				t.Errorf("net/http says %v, want %q", err, row.want)
			}
		})
	}
}

func TestPlaysAgainstGRPC(t *testing.T) {
	rows := []struct {
		play string
		code codes.Code
		want string
	}{
		{"closes at once", codes.Unavailable, ""},
		{"garbage", codes.Unavailable, ""},
		{"http2: an HTTP/1.1 server", codes.Unavailable, ""},
		{"http2: a giant frame", codes.Unavailable, ""},
		{"http2: an HPACK bomb", codes.Unavailable, "PROTOCOL_ERROR"},
		{"http2: a broken header block", codes.Unavailable, ""},
		{"http2: refuses every stream", codes.Unavailable, "REFUSED_STREAM"},
		{"http2: resets every stream after reading it", codes.Internal, "INTERNAL_ERROR"},
		{"http2: closes in the middle of an answer", codes.Unavailable, ""},
		{"http2: more data than the window", codes.Internal, ""},
		{"grpc: no trailers", codes.Internal, "server closed the stream without sending trailers"},
		{"grpc: a message, then INTERNAL", codes.Internal, "late"},
		{"grpc: trailers before the request is read", codes.ResourceExhausted, "early"},
		{"grpc: half a message", codes.Internal, ""},
		{"grpc: a message beyond all bounds", codes.ResourceExhausted, "4294967295"},
		{"grpc: a compressed bomb", codes.ResourceExhausted, ""},
		{"grpc: two messages for one", codes.Internal, ""},
		{"grpc: an HTML error page", codes.Unavailable, "502"},
		{"grpc: a status that is no number", codes.Unknown, ""},
	}
	for _, row := range rows {
		t.Run(row.play, func(t *testing.T) {
			s := listen(t, play(t, row.play))
			_, err := call(t.Context(), dial(t, s))
			if got := status.Convert(err); got.Code() != row.code || !strings.Contains(got.Message(), row.want) {
				t.Errorf("grpc-go says %v %q, want %v %q", got.Code(), got.Message(), row.code, row.want)
			}
		})
	}
}

// Every play is listed once, is meant for some client, and ends when its server is closed.
func TestPlaysEndWithTheirServer(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Plays() {
		if seen[p.Name] {
			t.Errorf("%s is listed twice", p.Name)
		}
		seen[p.Name] = true
		t.Run(p.Name, func(t *testing.T) {
			s := listen(t, p.Play)
			conn := dial(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() { call(ctx, conn) })
			until(t, func() bool { return s.Accepted() > 0 }) // the client has to be there
			s.Close()
			cancel()
			wg.Wait()
		})
	}
}

func TestEchoIsAGoodServer(t *testing.T) {
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	secure, err := ca.Server()
	if err != nil {
		t.Fatal(err)
	}
	secure.NextProtos = []string{"h2"}
	s, err := Listen((&HTTP2{Handle: Echo, Settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 10}}}).Play, secure)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn := dialWith(t, s, credentials.NewTLS(ca.Client()))
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if got, err := call(t.Context(), conn); err != nil || got != "hello" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
	// 1 MiB is far beyond the windows that a client starts with.
	big := wrapperspb.String(strings.Repeat("x", 1<<20))
	var got wrapperspb.StringValue
	if err := conn.Invoke(t.Context(), "/t.Svc/Echo", big, &got); err != nil || got.Value != big.Value {
		t.Errorf("1 MiB came back as %d bytes, %v", len(got.Value), err)
	}
}

// A GOAWAY below what was received loses no call of a client that sends such calls again, and the server
// answers each exactly once.
func TestGoAwayBelowWhatWasReceived(t *testing.T) {
	const calls, every = 500, 50
	var answered atomic.Int64
	s := listen(t, (&HTTP2{GoAway: every, Handle: func(st *Stream) {
		answered.Add(1)
		Echo(st)
	}}).Play)
	conn := dial(t, s)
	var failed atomic.Int64
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range calls / 10 {
				if _, err := call(t.Context(), conn); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() != 0 || answered.Load() != calls {
		t.Errorf("%d of %d calls failed, %d were answered", failed.Load(), calls, answered.Load())
	}
	if want := calls/(every-1) + 1; s.Accepted() < want-1 {
		t.Errorf("%d connections, want about %d: %d calls on each", s.Accepted(), want, every-1)
	}
}

// The bomb is well formed: a decoder without a limit gets 256 MB out of it.
func TestHPACKBombUnpacks(t *testing.T) {
	block := bomb()
	fields, size := 0, 0
	d := hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		fields++
		size += int(f.Size())
	})
	if _, err := d.Write(block); err != nil || d.Close() != nil {
		t.Fatalf("it is not well formed: %v", err)
	}
	if size < 250e6 || len(block) > 70<<10 {
		t.Errorf("%d bytes become %d fields of %d bytes in all", len(block), fields, size)
	}
}

func TestEscape(t *testing.T) {
	if got := escape("bad, \"quoted\"\n100 %ü"); got != "bad, \"quoted\"%0A100 %25%C3%BC" {
		t.Errorf("got %s", got)
	}
}

func play(t *testing.T, name string) Play {
	t.Helper()
	for _, p := range Plays() {
		if p.Name == name {
			return p.Play
		}
	}
	t.Fatalf("no play %q", name)
	return nil
}

func listen(t *testing.T, p Play) *Server {
	t.Helper()
	s, err := Listen(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func dial(t *testing.T, s *Server) *grpc.ClientConn {
	t.Helper()
	return dialWith(t, s, insecure.NewCredentials())
}

func dialWith(t *testing.T, s *Server, c credentials.TransportCredentials) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(c), grpc.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// call makes one unary call and returns the text that came back.
func call(ctx context.Context, conn *grpc.ClientConn) (string, error) {
	var got wrapperspb.StringValue
	err := conn.Invoke(ctx, "/t.Svc/Echo", wrapperspb.String("hello"), &got)
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	return got.Value, err
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
