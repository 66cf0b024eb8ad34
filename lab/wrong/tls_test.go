package wrong

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"wiregauge/internal/testcert"
	"wiregauge/lab/hostile"
)

// A zoo is servers that differ from what a user expects of them in one thing each. All of them echo.
type zoo struct {
	ca, other string // files
	address   map[string]string
}

func newZoo(t *testing.T) *zoo {
	t.Helper()
	ca, err := testcert.NewCA()
	check(t, err)
	stranger, err := testcert.NewCA()
	check(t, err)
	z := &zoo{address: map[string]string{}}
	z.ca, err = ca.WriteCA(t.TempDir())
	check(t, err)
	z.other, err = stranger.WriteCA(t.TempDir())
	check(t, err)
	issue := func(r testcert.Request) *tls.Config {
		cert, err := ca.Issue(r)
		check(t, err)
		return &tls.Config{Certificates: []tls.Certificate{cert}}
	}
	mutual := issue(testcert.Request{})
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	for name, secure := range map[string]*tls.Config{
		"plain": nil, "valid": issue(testcert.Request{}), "expired": issue(testcert.Request{Expired: true}),
		"misnamed": issue(testcert.Request{Names: []string{"shop.test"}}), "mutual": mutual,
	} {
		for protocol, play := range map[string]hostile.Play{
			"http1": echoHTTP1,
			"h2":    (&hostile.HTTP2{Handle: hostile.Echo}).Play,
		} {
			var own *tls.Config
			if secure != nil {
				own = secure.Clone()
				own.NextProtos = []string{map[string]string{"http1": "http/1.1", "h2": "h2"}[protocol]}
			}
			s, err := hostile.Listen(play, own)
			check(t, err)
			t.Cleanup(s.Close)
			z.address[name+" "+protocol] = s.Address()
		}
	}
	return z
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A mismatch is a URL beside a server that is something else.
type mismatch struct {
	name, scheme, server string
	trust                string // whose certificates: "ca", "other", or "" for the system's
	want                 string // the error, as an expression
	try                  string // what to type, with NAME for the address
	late                 string // the clients of which a run finds out by its calls only
}

var mismatches = []mismatch{
	{"TLS behind grpc", "grpc", "valid h2", "", "the server speaks TLS, but grpc:// is plaintext", "grpcs://NAME/t.Svc/Echo", ""},
	{"TLS behind h2c", "h2c", "valid h2", "", "the server speaks TLS, but h2c:// is plaintext", "h2://NAME/", ""},
	{"no TLS behind grpcs", "grpcs", "plain h2", "", "the server does not speak TLS, but grpcs:// needs it", "grpc://NAME/t.Svc/Echo", ""},
	{"no TLS behind https", "https", "plain http1", "", "the server does not speak TLS, but https:// needs it", "http://NAME/", ""},
	{"no TLS behind h2", "h2", "plain h2", "", "the server does not speak TLS, but h2:// needs it", "h2c://NAME/", ""},
	{"HTTP/1.1 behind grpc", "grpc", "plain http1", "", "the server speaks HTTP/1.1, but grpc:// needs HTTP/2", "http://NAME/t.Svc/Echo", ""},
	{"HTTP/1.1 behind grpcs", "grpcs", "valid http1", "ca", "the server offers no HTTP/2 over TLS, and grpcs:// needs it|does not offer h2 over TLS", "https://NAME/t.Svc/Echo", ""},
	{"an unknown authority", "grpcs", "valid h2", "", "signed by an authority that is not trusted here", "--cacert FILE", ""},
	{"another authority", "grpcs", "valid h2", "other", "signed by an authority that is not trusted here", "--cacert FILE", ""},
	{"another authority, https", "https", "valid http1", "other", "signed by an authority that is not trusted here", "--cacert FILE", ""},
	{"another authority, h2", "h2", "valid h2", "other", "signed by an authority that is not trusted here", "--cacert FILE", ""},
	{"expired", "grpcs", "expired h2", "ca", "the server's certificate expired on 2", "-k to go without", ""},
	{"expired, https", "https", "expired http1", "ca", "the server's certificate expired on 2", "-k to go without", ""},
	{"another name", "grpcs", "misnamed h2", "ca", "the server's certificate is for shop.test, not for 127.0.0.1", "--servername shop.test", ""},
	{"another name, h2", "h2", "misnamed h2", "ca", "the server's certificate is for shop.test, not for 127.0.0.1", "--servername shop.test", ""},
	{"a client certificate wanted", "grpcs", "mutual h2", "ca", "the server asks for a client certificate", "--cert client.pem", ""},
	{"a client certificate wanted, https", "https", "mutual http1", "ca", "the server asks for a client certificate", "--cert client.pem", "wire stack"},
}

// TestTLSMismatches: whatever is wrong between a URL and a server is exit 3 with the same words in every command and
// with both kinds of client; nothing is measured and nothing is written. Where only the first call of a run shows it,
// the calls are failures of one class, and the same words stand below.
func TestTLSMismatches(t *testing.T) {
	z := newZoo(t)
	for _, m := range mismatches {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for _, client := range clientsOf(m.scheme) {
				m.call(t, z, client)
				m.run(t, z, client)
				if m.scheme != "https" { // which is settled by a probe, as for run
					m.compare(t, z, client)
				}
			}
		})
	}
}

func (m *mismatch) flags(t *testing.T, z *zoo, client string) []string {
	flags := append(request(t, m.scheme), "--client", client)
	switch m.trust {
	case "ca":
		flags = append(flags, "--cacert", z.ca)
	case "other":
		flags = append(flags, "--cacert", z.other)
	}
	return flags
}

func (m *mismatch) url(z *zoo) string { return urlOf(m.scheme, z.address[m.server]) }

func (m *mismatch) typed(z *zoo) string {
	return strings.ReplaceAll(m.try, "NAME", z.address[m.server])
}

func (m *mismatch) call(t *testing.T, z *zoo, client string) {
	t.Helper()
	s := wg(t, append([]string{"call", m.url(z)}, m.flags(t, z, client)...)...)
	s.refuses(t, 3, m.typed(z))
	s.matches(t, m.want)
}

func (m *mismatch) run(t *testing.T, z *zoo, client string) {
	t.Helper()
	dir := t.TempDir()
	s := command{dir: dir, args: append([]string{"run", m.url(z), "-n", "2", "-o", "json=r.json"}, m.flags(t, z, client)...)}.run(t)
	s.matches(t, m.want)
	if strings.Contains(m.late, client) {
		s.wants(t, 5, "hint: ", m.typed(z))
		failures(t, &saved(t, dir+"/r.json").Arms[0], []string{"closed", "reset"})
		return
	}
	s.refuses(t, 3, m.typed(z))
	absent(t, dir+"/r.json")
}

func (m *mismatch) compare(t *testing.T, z *zoo, client string) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"compare", "bad=" + m.url(z), "worse=" + m.url(z), "--quick", "-o", "json=r.json"}, m.flags(t, z, client)...)
	s := command{dir: dir, args: args}.run(t)
	typed := m.typed(z)
	if strings.Contains(typed, "://") {
		typed = "=" + typed // an arm is typed anew, not the command
	}
	s.refuses(t, 3, "error: arm ", typed)
	s.matches(t, m.want)
	absent(t, dir+"/r.json")
}

func (s said) matches(t *testing.T, want string) {
	t.Helper()
	if !regexp.MustCompile(want).MatchString(s.stderr) {
		t.Errorf("stderr says\n%s\nwant %q", s.stderr, want)
	}
}

// TestNobodyListens: a closed port is exit 3 in every command, with what to do.
func TestNobodyListens(t *testing.T) {
	s, err := hostile.Listen(hostile.CloseAtOnce, nil)
	check(t, err)
	address := s.Address()
	s.Close() // and now nobody listens there
	for _, scheme := range []string{"http", "https", "h2c", "h2", "grpc", "grpcs", "tcp", "tls"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			url := urlOf(scheme, address)
			for _, client := range clientsOf(scheme) {
				flags := append(request(t, scheme), "--client", client)
				for _, args := range [][]string{
					append([]string{"call", url}, flags...),
					append([]string{"run", url, "-n", "5", "-o", "json=r.json"}, flags...),
					append([]string{"compare", "a=" + url, "b=" + url, "--quick", "-o", "json=r.json"}, flags...),
				} {
					if args[0] == "compare" && (scheme == "tcp" || scheme == "tls") {
						continue // a floor is no arm
					}
					wg(t, args...).refuses(t, 3, "no connection to "+url+": connection refused, nothing listens there", "try     start the server")
				}
			}
		})
	}
	wg(t, "list", "grpc://"+address).refuses(t, 3, "connection refused, nothing listens there")
	wg(t, "describe", "grpc://"+address, "a.B").refuses(t, 3, "connection refused, nothing listens there")
	wg(t, "run", "http+unix:///nowhere/at/all.sock?path=/", "-n", "1").refuses(t, 3, "there is no socket /nowhere/at/all.sock")
	wg(t, "run", "http://127.0.0.1:1/", "-n", "1", "--server-stats", fmt.Sprintf("http://%s/stats", address)).refuses(t, 3, "connection refused")
}
