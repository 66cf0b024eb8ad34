package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"wiregauge/internal/testcert"
)

// A zoo is one server of every kind that is taken for another, by name.
type zoo struct {
	address map[string]string
	ca      string // its file
	other   string // an authority that signed nothing
	cert    string // a client certificate with its key
}

// patientProbes gives probes more time than any machine needs, for servers that all answer at once.
func patientProbes(t *testing.T) {
	failed, guess := probeLimit, guessLimit
	probeLimit, guessLimit = 20*time.Second, 20*time.Second
	t.Cleanup(func() { probeLimit, guessLimit = failed, guess })
}

func newZoo(t *testing.T) *zoo {
	t.Helper()
	patientProbes(t)
	z := &zoo{address: map[string]string{}}
	ca, other := newCA(t), newCA(t)
	z.ca = writeFile(t, "ca.pem", string(ca.PEM))
	z.other = writeFile(t, "other.pem", string(other.PEM))
	z.cert = clientCert(t, ca)
	good := issue(t, ca, testcert.Request{})
	z.address["plain grpc"] = startSvc(t, true).address
	z.address["tls grpc"] = startSvc(t, true, grpc.Creds(credentials.NewServerTLSFromCert(&good))).address
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca.PEM)
	for name, version := range map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13} {
		config := &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
			MinVersion: version, MaxVersion: version, NextProtos: []string{"h2"}}
		z.address["mutual "+name] = startSvc(t, true, grpc.Creds(credentials.NewTLS(config))).address
	}
	expired := issue(t, ca, testcert.Request{Expired: true})
	z.address["expired"] = startSvc(t, true, grpc.Creds(credentials.NewServerTLSFromCert(&expired))).address
	named := issue(t, ca, testcert.Request{Names: []string{"shop.test"}})
	z.address["named"] = startSvc(t, true, grpc.Creds(credentials.NewServerTLSFromCert(&named))).address
	z.address["plain http1"] = z.serve(t, false, nil)
	z.address["plain h2 only"] = z.serve(t, true, nil)
	z.address["tls http1 only"] = z.serve(t, false, &tls.Config{Certificates: []tls.Certificate{good}, NextProtos: []string{"http/1.1"}})
	z.address["ssh"] = talker(t, "SSH-2.0-OpenSSH_9.2\r\n", true)
	z.address["closes"] = talker(t, "", false)
	z.address["nobody"] = "127.0.0.1:1"
	return z
}

func newCA(t *testing.T) *testcert.CA {
	t.Helper()
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

func issue(t *testing.T, ca *testcert.CA, r testcert.Request) tls.Certificate {
	t.Helper()
	c, err := ca.Issue(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clientCert writes a client certificate and its key into one file.
func clientCert(t *testing.T, ca *testcert.CA) string {
	t.Helper()
	certFile, keyFile, err := testcert.WritePEM(t.TempDir(), "client", issue(t, ca, testcert.Request{Client: true}))
	if err != nil {
		t.Fatal(err)
	}
	var both []byte
	for _, name := range []string{certFile, keyFile} {
		part, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, part...)
	}
	return writeFile(t, "client-and-key.pem", string(both))
}

// serve is net/http, with HTTP/1.1 or with HTTP/2 only.
func (z *zoo) serve(t *testing.T, http2 bool, config *tls.Config) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.Proto, r.URL)
	})}
	srv.Protocols.SetHTTP1(!http2)
	srv.Protocols.SetUnencryptedHTTP2(http2)
	address := l.Addr().String()
	if config != nil {
		l = tls.NewListener(l, config)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return address
}

// talker says something to everybody, whatever comes, and stays or closes.
func talker(t *testing.T, text string, stays bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, text)
				if stays {
					context.AfterFunc(ctx, func() { _ = c.Close() })
					_, _ = io.Copy(io.Discard, c)
				}
			}()
		}
	}()
	return l.Addr().String()
}

// anyTime is the part of an error that differs from run to run.
var anyTime = regexp.MustCompile(`(exit \d+ after )[\d.]+ s|(expired on )[-\d: ]+UTC`)

// closedWords are the ways in which a connection that the server closes may end: which one is a race.
var closedWords = regexp.MustCompile(`(connection reset by peer|broken pipe|the server closed the connection|the connection ended)( before the answer( was complete)?)?`)

// told is what a command printed, with names in place of what differs from run to run.
func (z *zoo) told(s session) string {
	text := s.stdout + s.stderr
	for name, address := range z.address {
		text = strings.ReplaceAll(text, address, strings.ReplaceAll(name, " ", "-")+".test:1")
	}
	for name, file := range map[string]string{"ca.pem": z.ca, "other.pem": z.other, "client.pem": z.cert} {
		text = strings.ReplaceAll(text, file, name)
	}
	text = closedWords.ReplaceAllString(text, "CLOSED")
	text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1:N")
	return anyTime.ReplaceAllString(text, "${1}${2}T")
}

// Every error of a target that is something else than its URL says is a golden text: what happened, what was found
// out, what to type.
func TestWrongTargetsAreExplained(t *testing.T) {
	z := newZoo(t)
	var b strings.Builder
	for _, c := range []struct {
		scheme, server, path string
		flags                []string
		code                 int
	}{
		{"grpc", "tls grpc", "/t.Svc/Echo", nil, 3},
		{"h2c", "tls grpc", "/x", nil, 3},
		{"http", "tls grpc", "/x", nil, 3},
		{"http", "tls http1 only", "/x", nil, 4},
		{"grpcs", "plain grpc", "/t.Svc/Echo", nil, 3},
		{"https", "plain http1", "/x", nil, 3},
		{"h2", "plain h2 only", "/x", nil, 3},
		{"grpc", "plain http1", "/t.Svc/Echo", nil, 3},
		{"h2c", "plain http1", "/x", nil, 3},
		{"http", "plain grpc", "/t.Svc/Echo", nil, 3},
		{"http", "plain h2 only", "/x", nil, 3},
		{"grpc", "plain h2 only", "/t.Svc/Echo", nil, 3},
		{"grpcs", "tls http1 only", "/t.Svc/Echo", []string{"--cacert", z.ca}, 3},
		{"grpcs", "tls grpc", "/t.Svc/Echo", nil, 3},
		{"grpcs", "tls grpc", "/t.Svc/Echo", []string{"--cacert", z.other}, 3},
		{"https", "tls grpc", "/x", []string{"--cacert", z.other}, 3},
		{"grpcs", "expired", "/t.Svc/Echo", []string{"--cacert", z.ca}, 3},
		{"grpcs", "named", "/t.Svc/Echo", []string{"--cacert", z.ca}, 3},
		{"grpcs", "mutual 1.2", "/t.Svc/Echo", []string{"--cacert", z.ca}, 3},
		{"grpcs", "mutual 1.3", "/t.Svc/Echo", []string{"--cacert", z.ca}, 3},
		{"h2", "mutual 1.3", "/x", []string{"--cacert", z.ca}, 3},
		{"https", "mutual 1.2", "/x", []string{"--cacert", z.ca}, 3},
		{"grpc", "ssh", "/t.Svc/Echo", []string{"--proto", protoFile(t)}, 3},
		{"http", "ssh", "/x", nil, 3},
		{"https", "ssh", "/x", nil, 3},
		{"h2c", "closes", "/x", nil, 3},
		{"http", "closes", "/x", nil, 3},
		{"http", "nobody", "/x", nil, 3},
		{"grpc", "nobody", "/t.Svc/Echo", nil, 3},
	} {
		args := append([]string{"call", c.scheme + "://" + z.address[c.server] + c.path}, c.flags...)
		s := invoke(t, args...)
		shown := append([]string{"call", c.scheme + "://" + strings.ReplaceAll(c.server, " ", "-") + ".test:1" + c.path}, c.flags...)
		if s.code != c.code {
			t.Errorf("%s: exit %d, want %d\n%s", strings.Join(shown, " "), s.code, c.code, s.stderr)
		}
		line := z.told(session{stdout: strings.Join(shown, " ")})
		line = regexp.MustCompile(`--proto \S+`).ReplaceAllString(line, "--proto t.proto")
		fmt.Fprintf(&b, "$ wiregauge %s\n%s\n", line, z.told(s))
	}
	golden(t, "wrongtargets.txt", b.String())
}

// With what the error says to type, the call works.
func TestWhatErrorsSayToTypeWorks(t *testing.T) {
	z := newZoo(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"the authority", []string{"grpcs://" + z.address["tls grpc"], "--cacert", z.ca}},
		{"no check", []string{"grpcs://" + z.address["expired"], "-k"}},
		{"the name in the certificate", []string{"grpcs://" + z.address["named"], "--cacert", z.ca, "--servername", "shop.test"}},
		{"a client certificate, TLS 1.2", []string{"grpcs://" + z.address["mutual 1.2"], "--cacert", z.ca, "--cert", z.cert, "--key", z.cert}},
		{"a client certificate, TLS 1.3", []string{"grpcs://" + z.address["mutual 1.3"], "--cacert", z.ca, "--cert", z.cert}},
		{"a bare host, TLS", []string{z.address["tls grpc"], "--cacert", z.ca, "--call", "t.Svc/Echo"}},
		{"a bare host, plaintext", []string{z.address["plain grpc"], "--call", "t.Svc/Echo"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.args[0], "://") {
				c.args[0] += "/t.Svc/Echo"
			}
			s := invoke(t, append(append([]string{"call"}, c.args...), "-d", `{"id":1}`)...)
			s.expect(t, 0, "{\n  \"id\": \"1\"\n}\n")
		})
	}
}

func TestBareTargets(t *testing.T) {
	z := newZoo(t)
	var b strings.Builder
	for _, c := range []struct {
		command, server, path string
		flags                 []string
	}{
		{"call", "plain http1", "/x", nil},
		{"call", "plain h2 only", "/x", nil},
		{"call", "plain grpc", "", []string{"t.Svc/Echo", "-d", "{}"}},
		{"call", "plain grpc", "/t.Svc/Echo", []string{"-d", "{}"}},
		{"call", "tls http1 only", "/x", []string{"--cacert", z.ca}},
		{"call", "tls grpc", "", []string{"t.Svc/Echo", "-k"}},
		{"call", "ssh", "/x", nil},
		{"call", "nobody", "", []string{"t.Svc/Echo"}},
		{"list", "plain grpc", "", nil},
		{"list", "tls grpc", "", []string{"--cacert", z.ca, "t.Svc"}},
		{"run", "plain grpc", "", nil},
		{"run", "plain http1", "/x", nil},
		{"run", "nobody", "", nil},
		{"compare", "plain grpc", "", []string{"http://" + z.address["plain http1"] + "/"}},
	} {
		args := append([]string{c.command, z.address[c.server] + c.path}, c.flags...)
		s := invoke(t, args...)
		fmt.Fprintf(&b, "$ wiregauge %s\n%s", z.told(session{stdout: strings.Join(args, " ")}), z.told(s))
		if !strings.HasSuffix(b.String(), "\n") {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "[exit %d]\n\n", s.code)
	}
	golden(t, "baretargets.txt", b.String())
}

// A server that takes connections and says nothing ends the command all the same.
func TestSilentServer(t *testing.T) {
	address := talker(t, "", true)
	for _, args := range [][]string{
		{"call", "h2c://" + address + "/x", "--connect-timeout", "50ms"},
		{"call", "grpc://" + address + "/a.B/C", "--connect-timeout", "50ms"},
		{"call", "https://" + address + "/x", "--connect-timeout", "50ms"},
		{"call", "http://" + address + "/x", "-t", "50ms"},
	} {
		s := invoke(t, args...)
		if s.code != 3 || s.stdout != "" || !strings.Contains(s.stderr, "error: ") {
			t.Errorf("%s: exit %d\n%s", strings.Join(args, " "), s.code, s.stderr)
		}
		t.Log(s.stderr)
	}
}
