//go:build external

package interop

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"wiregauge/internal/testcert"
	"wiregauge/lab"
)

// server is one gRPC server that we did not write.
type server struct {
	name  string
	start func(t *testing.T) (address string, tls *tls.Config)
}

var servers = []server{
	{"grpc-go, clear text", func(t *testing.T) (string, *tls.Config) { return grpcGo(t), nil }},
	{"grpc-go, TLS", grpcGoTLS},
	{"grpcio, clear text", func(t *testing.T) (string, *tls.Config) { return grpcio(t), nil }},
	{"grpcio, TLS", grpcioTLS},
	{"grpc-js, clear text", func(t *testing.T) (string, *tls.Config) { return grpcJS(t), nil }},
	{"connect-go, clear text", func(t *testing.T) (string, *tls.Config) {
		return start(t, nil, peer(t, "connect-server")).address(t), nil
	}},
}

// TestGRPCInterop runs the interop cases of gRPC that need no cloud with the wire client against each server.
func TestGRPCInterop(t *testing.T) {
	ran := 0
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			address, secure := s.start(t)
			for _, c := range interopCases {
				t.Run(c.name, func(t *testing.T) { c.run(t, dial(t, address, secure)) })
				ran++
			}
		})
	}
	t.Logf("%d cases", ran)
}

// grpcGoTLS trusts the authority that grpc-go ships for its tests.
func grpcGoTLS(t *testing.T) (string, *tls.Config) {
	t.Helper()
	ca, err := os.ReadFile(filepath.Join(moduleDir(t, "google.golang.org/grpc@v1.85.0"), "testdata", "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return grpcGo(t, "-use_tls"), &tls.Config{RootCAs: pool, ServerName: "foo.test.google.fr", NextProtos: []string{"h2"}}
}

func grpcGo(t *testing.T, flags ...string) string {
	t.Helper()
	port, err := lab.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	start(t, nil, peer(t, "interop-server"), append(flags, "-port", strconv.Itoa(port))...)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	answers(t, address)
	return address
}

func grpcio(t *testing.T) string {
	t.Helper()
	return start(t, nil, python(), "../peers/python/server.py", protoset(t)).address(t)
}

func grpcioTLS(t *testing.T) (string, *tls.Config) {
	t.Helper()
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := ca.Issue(testcert.Request{Names: []string{"localhost", "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, _, err := testcert.WritePEM(dir, "server", cert); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, python(), "../peers/python/server.py", protoset(t), filepath.Join(dir, "server"))
	return p.address(t), &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost", NextProtos: []string{"h2"}}
}

func python() string { return filepath.Join(os.Getenv("PEERS"), "python", "bin", "python") }

func grpcJS(t *testing.T) string {
	t.Helper()
	modules := "NODE_PATH=" + filepath.Join(os.Getenv("PEERS"), "node", "node_modules")
	return start(t, []string{modules}, peer(t, "node"), "../peers/node/server.js", protoset(t)).address(t)
}
