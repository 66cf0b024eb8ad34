//go:build external

package interop

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiregauge/internal/testcert"
	"wiregauge/lab"
)

// fileSizes are the static files of every web server, named after their sizes.
var fileSizes = []int{0, 1, 1000, 64 << 10, 1 << 20}

// webServer is a web server that we did not write.
type webServer struct {
	name    string
	process *process
	dir     string
	ca      string            // PEM file of the authority that signed its certificate
	base    map[string]string // by scheme: "h2c" → "h2c://127.0.0.1:12345"
	log     func() string     // what it says of the calls it has had, whole after stop
}

// ground is what every web server stands on: a folder with files, a certificate and free ports.
func ground(t *testing.T, name string, schemes ...string) (*webServer, map[string]string) {
	t.Helper()
	s := &webServer{name: name, dir: t.TempDir(), base: map[string]string{}}
	words := map[string]string{"dir": s.dir, "extra": ""}
	for _, scheme := range schemes {
		port, err := lab.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		words[scheme] = strconv.Itoa(port)
		s.base[scheme] = scheme + "://127.0.0.1:" + words[scheme]
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	words["user"] = me.Username
	if err := os.Mkdir(filepath.Join(s.dir, "files"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, size := range fileSizes {
		s.write(t, filepath.Join("files", strconv.Itoa(size)), pattern(size))
	}
	s.certify(t)
	return s, words
}

func (s *webServer) certify(t *testing.T) {
	t.Helper()
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := ca.Issue(testcert.Request{Names: []string{"localhost", "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile, err := testcert.WritePEM(s.dir, "server", cert)
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "both.pem", append(s.read(t, certFile), s.read(t, keyFile)...))
	if s.ca, err = ca.WriteCA(s.dir); err != nil {
		t.Fatal(err)
	}
}

func (s *webServer) write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s *webServer) read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// configure fills in the words of a configuration in testdata and gives the path of the result.
func (s *webServer) configure(t *testing.T, template string, words map[string]string) string {
	t.Helper()
	var pairs []string
	for word, value := range words {
		pairs = append(pairs, "{"+word+"}", value)
	}
	text := strings.NewReplacer(pairs...).Replace(string(s.read(t, filepath.Join("testdata", template))))
	return s.write(t, template, []byte(text))
}

// answered waits until a GET under a plain scheme is answered.
func (s *webServer) answered(t *testing.T, url string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	protocols := new(http.Protocols)
	scheme, rest, _ := strings.Cut(url, "://")
	protocols.SetHTTP1(scheme == "http" || scheme == "https")
	protocols.SetUnencryptedHTTP2(scheme == "h2c")
	if scheme == "h2c" {
		url = "http://" + rest
	}
	transport := &http.Transport{Protocols: protocols, DisableKeepAlives: scheme != "h2c", TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := transport.RoundTrip(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s does not answer %s: %v\n%s", s.name, url, err, s.process.text())
		}
	}
}

// stop ends the server as a user would and returns its log of calls.
func (s *webServer) stop(t *testing.T) string {
	t.Helper()
	s.process.stop()
	return s.log()
}

// nginx answers by itself and in front of the two upstreams, which may be "" for none. extra goes into the http block.
func nginx(t *testing.T, web, rpc, extra string) *webServer {
	t.Helper()
	s, words := ground(t, "nginx", "http", "h2c", "https")
	words["upstream"], words["rpc"], words["extra"] = orNowhere(web), orNowhere(rpc), extra
	s.write(t, "access.log", nil)
	s.process = start(t, nil, peer(t, "nginx"), "-p", s.dir, "-c", s.configure(t, "nginx.conf", words))
	s.log = func() string { return string(s.read(t, filepath.Join(s.dir, "access.log"))) }
	s.base["h2"], s.base["grpc"], s.base["grpcs"] = "h2://127.0.0.1:"+words["https"], "grpc://127.0.0.1:"+words["h2c"], "grpcs://127.0.0.1:"+words["https"]
	s.answered(t, s.base["http"]+"/empty")
	return s
}

// haproxy stands in front of both upstreams. extra goes into the defaults.
func haproxy(t *testing.T, web, rpc, extra string) *webServer {
	t.Helper()
	s, words := ground(t, "haproxy", "http", "h2c", "https")
	words["upstream"], words["rpc"], words["extra"] = orNowhere(web), orNowhere(rpc), extra
	s.process = start(t, nil, peer(t, "haproxy"), "-db", "-f", s.configure(t, "haproxy.cfg", words))
	s.log = s.process.text
	s.base["h2"], s.base["grpc"], s.base["grpcs"] = "h2://127.0.0.1:"+words["https"], "grpc://127.0.0.1:"+words["h2c"], "grpcs://127.0.0.1:"+words["https"]
	s.answered(t, s.base["http"]+"/web/status/204")
	return s
}

// nghttpd is nghttp2's own server: HTTP/2 only, with padding, trailers and uploads that are sent back.
func nghttpd(t *testing.T, secure bool, flags ...string) *webServer {
	t.Helper()
	scheme := "h2c"
	if secure {
		scheme = "h2"
	}
	s, words := ground(t, "nghttpd", scheme)
	args := append(flags, "-v", "-a", "127.0.0.1", "-d", s.dir)
	if secure {
		args = append(args, words[scheme], filepath.Join(s.dir, "server.key"), filepath.Join(s.dir, "server.pem"))
	} else {
		args = append(args, "--no-tls", words[scheme])
	}
	s.process = start(t, nil, peer(t, "nghttpd"), args...)
	s.log = s.process.text
	if secure {
		answers(t, "127.0.0.1:"+words[scheme])
	} else {
		s.answered(t, s.base[scheme]+"/files/1")
	}
	return s
}

// orNowhere is an address that a proxy may be told where the test needs no upstream: the discard port.
func orNowhere(address string) string {
	if address == "" {
		return "127.0.0.1:9"
	}
	return address
}
