package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"wiregauge/protocol"

	"github.com/spf13/pflag"

	"wiregauge/internal/option"
	"wiregauge/lab"
)

// labProto writes a reference contract to disk and returns its path.
func labProto(t *testing.T, name string) string {
	t.Helper()
	text, err := lab.Protos.ReadFile("proto/" + name + ".proto")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".proto")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// made is what a URL and flags make, without any network.
func made(t *testing.T, stdin, url string, args ...string) (*prepared, *payload, error) {
	t.Helper()
	o := &targetRequest{}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	option.Bind(fs, o)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	app := newApp(strings.NewReader(stdin), &strings.Builder{}, &strings.Builder{}, func(string) (string, bool) { return "", false })
	return app.prepare(t.Context(), url, &o.ConnOptions, &o.DataOptions, 0)
}

// targetRequest are the options that say what is sent and where.
type targetRequest struct {
	DataOptions
	ConnOptions
}

// TestPayloads: what users type becomes these requests. Each message is written as hex or text behind its method.
func TestPayloads(t *testing.T) {
	inventory, echo := labProto(t, "inventory"), labProto(t, "echo")
	const check = "/wg.v1.Inventory/Check"
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, stdin, url string
		args             []string
		want             string
	}{
		{"gRPC by URL", "", "grpc://h" + check, []string{"--proto", inventory, "-d", `{"sku":"42"}`}, check + " 0a023432"},
		{"gRPC in the dot form", "", "grpc://h/wg.v1.Inventory.Check", []string{"--proto", inventory, "-d", `{"sku":"42"}`}, check + " 0a023432"},
		{"gRPC by --call", "", "grpc://h", []string{"--proto", inventory, "--call", "wg.v1.Inventory.Check", "-d", `{"sku":"42"}`}, check + " 0a023432"},
		{"gRPC over a unix socket", "", "grpc+unix:///s?method=wg.v1.Inventory/Check", []string{"--proto", inventory, "-d", `{"sku":"42"}`}, check + " 0a023432"},
		{"gRPC without data", "", "grpc://h" + check, []string{"--proto", inventory}, check + " "},
		{"a list is used round robin", "", "grpc://h" + check, []string{"--proto", inventory, "-d", `[{"sku":"1"},{"sku":"2"}]`}, check + " 0a0131\n" + check + " 0a0132"},
		{"a list is one call where the caller streams", "", "grpc://h/wg.v1.Echo/ClientStream", []string{"--proto", echo, "-d", `[{"count":1},{"count":2}]`}, "/wg.v1.Echo/ClientStream 1001 1002"},
		{"data from the standard input", `{"sku":"42"}`, "grpc://h" + check, []string{"--proto", inventory, "-d", "@-"}, check + " 0a023432"},
		{"ghz's lone @", `{"sku":"42"}`, "grpc://h" + check, []string{"--proto", inventory, "-d", "@"}, check + " 0a023432"},
		{"a file with a byte order mark (K04)", "", "grpc://h" + check, []string{"--proto", inventory, "-D", file("bom.json", "\xef\xbb\xbf\r\n{\"sku\":\"42\"}\r\n")}, check + " 0a023432"},
		{"an encoded message", "", "grpc://h" + check, []string{"--binary", file("one.bin", "\x0a\x0242")}, check + " 0a023432"},
		{"encoded messages", "", "grpc://h" + check, []string{"--framing", "delimited", "--binary", file("two.bin", "\x03\x0a\x011\x03\x0a\x012")}, check + " 0a0131\n" + check + " 0a0132"},
		{"unknown fields ignored", "", "grpc://h" + check, []string{"--proto", inventory, "--allow-unknown-fields", "-d", `{"sku":"42","x":1}`}, check + " 0a023432"},
		{"HTTP without data", "", "http://h/v1?a=b", nil, "GET /v1?a=b"},
		{"HTTP with data", "", "http://h/v1", []string{"-d", `{ "a": 1 }`}, `POST /v1 "{ \"a\": 1 }"`},
		{"HTTP with a method", "", "http://h/v1", []string{"-X", "PUT", "-d", "x"}, `PUT /v1 "x"`},
		{"HTTP with a method and no data", "", "h2c://h/v1", []string{"-X", "DELETE"}, "DELETE /v1"},
		{"data that begins with @", "", "http://h/v1", []string{"--data-raw", "@x"}, `POST /v1 "@x"`},
		{"REST by annotation", "", "http://h", []string{"--proto", inventory, "--call", "wg.v1.Inventory/Check", "-d", `{"sku":"42"}`}, `POST /v1/inventory/check "{\"sku\":\"42\"}"`},
		{"REST by an explicit path", "", "http://h/other", []string{"--proto", inventory, "--call", "wg.v1.Inventory/Check", "-d", `{"sku":"42"}`}, `POST /other "{\"sku\":\"42\"}"`},
		{"TCP with a contract", "", "tcp://h:7", []string{"--proto", inventory, "--call", "wg.v1.Inventory/Check", "--codec", "protobuf", "-d", `{"sku":"42"}`}, " 0a023432"},
		{"TCP without a contract", "", "tcp://h:7", []string{"-d", "hello"}, ` "hello"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, sent, err := made(t, c.stdin, c.url, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, r := range sent.Requests {
				line := r.Method
				if strings.HasPrefix(c.want, " ") {
					line = "" // no method is known to this protocol
				}
				for _, m := range r.Messages {
					if strings.Contains(c.want, `"`) {
						line += fmt.Sprintf(" %q", m)
						continue
					}
					line += fmt.Sprintf(" %x", m)
				}
				lines = append(lines, line)
			}
			if got := strings.Join(lines, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestPayloadsRefused(t *testing.T) {
	inventory := labProto(t, "inventory")
	const url = "grpc://h/wg.v1.Inventory/Check"
	dir := t.TempDir()
	short := filepath.Join(dir, "short.bin")
	if err := os.WriteFile(short, []byte("\x09abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, url string
		args      []string
		want      string
	}{
		{"an unknown field", url, []string{"--proto", inventory, "-d", `{"skuu":"42"}`}, `unknown field "skuu" in message wg.v1.CheckRequest`},
		{"an unknown service", "grpc://h/wg.v1.Inventry/Check", []string{"--proto", inventory}, `no service "wg.v1.Inventry"`},
		{"an unknown method", "grpc://h/wg.v1.Inventory/Chek", []string{"--proto", inventory}, `no method "Chek"`},
		{"no JSON", url, []string{"--proto", inventory, "-d", `{"sku":`}, "data:"},
		{"a list without messages", url, []string{"--proto", inventory, "-d", `[]`}, "the data holds no message"},
		{"a message longer than the file", url, []string{"--framing", "delimited", "--binary", short}, "message 1 at byte 0"},
		{"a codec that is none", url, []string{"--proto", inventory, "--codec", "xml"}, `unknown codec "xml"`},
		{"a codec of later", url, []string{"--proto", inventory, "--codec", "hessian"}, "not in this version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := made(t, "", c.url, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) || exitCode(t.Context(), err) != exitUsage {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestHeaders: -H, -m and -u in every protocol; Host is the authority.
func TestHeaders(t *testing.T) {
	p, sent, err := made(t, "", "http://h/x", "-H", "X-A:  b c ", "-H", "Host: other.test", "-m", `{"z":"1","y":"2"}`, "-u", "me:pw")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range sent.Requests[0].Header {
		got = append(got, strings.ToLower(f.Name)+"="+f.Value)
	}
	text := strings.Join(got, "|")
	for _, want := range []string{"x-a=b c", "y=2|z=1", "authorization=Basic bWU6cHc="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if p.Options.Authority != "other.test" || strings.Contains(text, "host=") {
		t.Errorf("authority %q, headers %q", p.Options.Authority, text)
	}
}

// TestEqualHeadersShareAnIndex: a session encodes a header set once, whatever the number of messages.
func TestEqualHeadersShareAnIndex(t *testing.T) {
	inventory := labProto(t, "inventory")
	_, sent, err := made(t, "", "grpc://h/wg.v1.Inventory/Check", "--proto", inventory, "-d", `[{"sku":"1"},{"sku":"2"},{"sku":"333"}]`)
	if err != nil {
		t.Fatal(err)
	}
	r := sent.Requests
	if r[0].Index != 0 || r[1].Index != 0 || r[2].Index != 1 {
		t.Errorf("indexes %d %d %d", r[0].Index, r[1].Index, r[2].Index)
	}
	if sent.Summary != "3 messages of 3 to 5 bytes (protobuf)" {
		t.Errorf("summary %q", sent.Summary)
	}
}

// What a URL cannot hold as it is (an @ in a password) is sent as it was meant.
func TestUserOfTheURL(t *testing.T) {
	for _, c := range []struct{ url, flag, want string }{
		{"http://ada:p%40ss%3A@h/", "", "ada:p@ss:"}, {"http://ada@h/", "", "ada:"}, {"rsocket+tcp://a%20b:c@h/r", "", "a b:c"},
		{"http://ada:x@h/", "bob:y", "bob:y"}, {"http://h/", "", ""},
	} {
		target, err := protocol.ParseTarget(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := userOf(&prepared{Target: target}, &DataOptions{User: c.flag}); got != c.want {
			t.Errorf("%s -u %q: %q, want %q", c.url, c.flag, got, c.want)
		}
	}
}
