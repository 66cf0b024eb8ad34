package lab

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"wiregauge/lab/wgpb"
)

// serve starts a Server that ends with the test.
func serve(t testing.TB, c ServeConfig) *Server {
	t.Helper()
	s, err := Serve(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func endpoint(t testing.TB, s *Server, name, protocol string) string {
	t.Helper()
	for _, e := range s.Endpoints() {
		if e.Name == name && e.Protocol == protocol {
			return e.URL
		}
	}
	t.Fatalf("no endpoint of %s on %s in %v", name, protocol, s.Endpoints())
	return ""
}

func hostOf(t testing.TB, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// trust is a client's TLS configuration for s.
func trust(t testing.TB, s *Server) *tls.Config {
	t.Helper()
	pem, err := os.ReadFile(s.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return &tls.Config{RootCAs: pool}
}

func dialRPC(t testing.TB, s *Server, protocol string) *grpc.ClientConn {
	t.Helper()
	creds := insecure.NewCredentials()
	if protocol == "grpcs" {
		creds = credentials.NewTLS(trust(t, s))
	}
	var address string
	for _, e := range s.Endpoints() {
		if e.Protocol == protocol {
			address = hostOf(t, e.URL)
		}
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(creds), grpc.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// httpClient speaks exactly one of http, h2c, https (HTTP/1.1 here) and h2, on one connection.
func httpClient(t testing.TB, s *Server, protocol string) *http.Client {
	t.Helper()
	var p http.Protocols
	tr := &http.Transport{Protocols: &p, DisableCompression: true, MaxConnsPerHost: 1}
	switch protocol {
	case "http", "https":
		p.SetHTTP1(true)
	case "h2c":
		p.SetUnencryptedHTTP2(true)
	case "h2":
		p.SetHTTP2(true)
	}
	if secure(protocol) {
		tr.TLSClientConfig = trust(t, s)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// post sends one JSON message with a plant and returns the status (0 when there was no answer) and the body.
func post(t testing.TB, s *Server, protocol, service, plant, body string) (int, string) {
	t.Helper()
	u := endpoint(t, s, service, protocol)
	u = strings.NewReplacer("h2c://", "http://", "h2://", "https://").Replace(u)
	r, err := http.NewRequestWithContext(t.Context(), "POST", u, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", jsonType)
	if plant != "" {
		r.Header.Set(plantHeaderName, plant)
	}
	return do(t, httpClient(t, s, protocol), r)
}

func do(t testing.TB, c *http.Client, r *http.Request) (int, string) {
	t.Helper()
	a, err := c.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		return 0, err.Error()
	}
	return a.StatusCode, string(b)
}

func admin(t *testing.T, verb, u string, into *Stats) {
	t.Helper()
	r, err := http.NewRequest(verb, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	code, body := do(t, http.DefaultClient, r)
	if code != 200 {
		t.Fatalf("%s %s: %d %s", verb, u, code, body)
	}
	*into = Stats{}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err)
	}
}

// checkFrames sends four frames in odd pieces to the TCP echo and wants them back.
func checkFrames(t *testing.T, s *Server, protocol string) {
	t.Helper()
	var c net.Conn
	var err error
	host := hostOf(t, endpoint(t, s, "echo", protocol))
	if protocol == "tls" {
		c, err = tls.Dial("tcp", host, trust(t, s))
	} else {
		c, err = net.Dial("tcp", host)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var out []byte
	for _, size := range []int{0, 1, 100, 300_000} {
		out = binary.BigEndian.AppendUint32(out, uint32(size))
		out = append(out, bytes.Repeat([]byte{byte(size)}, size)...)
	}
	go func() {
		c.Write(out[:3])
		c.Write(out[3:10])
		c.Write(out[10:])
	}()
	got := make([]byte, len(out))
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, out) {
		t.Errorf("%d bytes did not come back as they were: %v", len(out), err)
	}
}

// drain reads a server stream to its end.
func drain(t *testing.T, s grpc.ServerStreamingClient[wgpb.EchoMessage], err error) (messages int) {
	t.Helper()
	for err == nil {
		if _, err = s.Recv(); err == nil {
			messages++
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return messages
}
