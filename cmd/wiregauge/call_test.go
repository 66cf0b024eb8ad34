package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// invokeReading is invoke with a standard input that comes bit by bit.
func invokeReading(stdin io.Reader, stdout io.Writer, args ...string) session {
	var out, stderr bytes.Buffer
	if stdout == nil {
		stdout = &out
	}
	none := func(string) (string, bool) { return "", false }
	code := newApp(stdin, stdout, &stderr, none).run(context.Background(), args)
	return session{code, out.String(), stderr.String()}
}

// expect checks the end of a command.
func (s session) expect(t *testing.T, code int, stdout string) {
	t.Helper()
	if s.code != code || s.stdout != stdout {
		t.Errorf("exit %d, want %d; standard output %q, want %q\n%s", s.code, code, s.stdout, stdout, s.stderr)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// K03, K04, K05: what the server receives, byte for byte, however the data gets there.
func TestCallSendsExactly(t *testing.T) {
	s := startSvc(t, true)
	url := "grpc://" + s.address + "/t.Svc/Echo"
	big := "08 d9 80 90 bb ba d6 ad f0 0d"
	const bigJSON = `{"id": 1000000000000000089}`
	for _, c := range []struct {
		name, stdin, want string
		args              []string
	}{
		{"a number with -d", "", big, []string{"-d", bigJSON}},
		{"a number in a file", "", big, []string{"-d", "@" + writeFile(t, "d.json", bigJSON)}},
		{"a number in an array in a file", "", big, []string{"-d", "@" + writeFile(t, "d.json", "["+bigJSON+"]")}},
		{"a file with -D", "", big, []string{"-D", writeFile(t, "d.json", bigJSON)}},
		{"white space before an array", "", "08 01", []string{"-d", "@" + writeFile(t, "d.json", "\n[{\"id\":1}]")}},
		{"a byte order mark and CRLF", "", "08 01", []string{"-d", "@" + writeFile(t, "d.json", "\xef\xbb\xbf{\"id\":1}\r\n")}},
		{"the standard input as @-", `{"id":7}` + "\n", "08 07", []string{"-d", "@-"}},
		{"the standard input as a lone @", `{"id":7}` + "\n", "08 07", []string{"-d", "@"}},
		{"the standard input as --data=@", `{"id":7}` + "\n", "08 07", []string{"--data=@"}},
		{"both alphabets of base64", "", "22 04 fb ff bf fb", []string{"-d", `{"b":"-_-_-w"}`}},
		{"raw data that starts with an at sign", "", "12 01 40", []string{"--data-raw", `{"s":"@"}`}},
		{"an encoded message", "", "08 2a", []string{"--binary", writeFile(t, "m.bin", "\x08\x2a"), "--reflect"}},
		{"unknown fields allowed", "", "08 01", []string{"-d", `{"id":1,"nope":2}`, "--allow-unknown-fields"}},
		{"no data at all", "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(s.got())
			got := invokeReading(strings.NewReader(c.stdin), nil, append([]string{"call", url}, c.args...)...)
			if got.code != 0 {
				t.Fatalf("exit %d\n%s", got.code, got.stderr)
			}
			all := s.got()[before:]
			if len(all) != 1 || !bytes.Equal(all[0], unhex(t, c.want)) {
				t.Errorf("the server received % x, want one message %s", all, c.want)
			}
		})
	}
}

func TestCallPrintsTheAnswer(t *testing.T) {
	s := startSvc(t, true)
	url := "grpc://" + s.address + "/t.Svc/"
	var ten strings.Builder
	for i := 1; i <= 10; i++ {
		fmt.Fprintf(&ten, "{\n  \"id\": \"%d\"\n}\n", i)
	}
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout string
	}{
		{"unary", []string{"call", url + "Echo", "-d", `{"id":1,"s":"x"}`}, 0, "{\n  \"id\": \"1\",\n  \"s\": \"x\"\n}\n"},
		{"dots in the URL", []string{"call", "grpc://" + s.address + "/t.Svc.Echo", "-d", `{"id":1}`}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"--call", []string{"call", "grpc://" + s.address, "--call", "t.Svc.Echo", "-d", `{"id":1}`}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"as grpcurl types it", []string{"call", "--plaintext", "-d", `{"id":1}`, s.address, "t.Svc/Echo"}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"host and method", []string{"call", "-d", `{"id":1}`, s.address, "t.Svc.Echo"}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"URL and method", []string{"call", "-d", `{"id":1}`, "grpc://" + s.address + "/", "t.Svc/Echo"}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"a proto file", []string{"call", url + "Echo", "--proto", protoFile(t), "-d", `{"id":1}`}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"defaults", []string{"call", url + "Check", "--emit-defaults", "-d", `{"sku":"a"}`}, 0,
			"{\n  \"sku\": \"a\",\n  \"warehouse\": \"\",\n  \"extra\": null\n}\n"},
		{"a server stream", []string{"call", url + "Stream", "-d", "{}"}, 0, ten.String()},
		{"three of an endless stream (K25)", []string{"call", url + "Endless", "--take", "3"}, 0,
			"{\n  \"id\": \"1\"\n}\n{\n  \"id\": \"2\"\n}\n{\n  \"id\": \"3\"\n}\n"},
		{"three of one answer", []string{"call", url + "Echo", "-d", `{"id":1}`, "--take", "3"}, 2, ""},
		{"more than there are", []string{"call", url + "Stream", "--take", "20"}, 0, ten.String()},
		{"a client stream from a list", []string{"call", url + "Up", "-d", `[{"id":1},{"id":2},{"id":3}]`}, 0, "{\n  \"id\": \"3\"\n}\n"},
		{"an empty client stream", []string{"call", url + "Up", "-d", `[]`}, 0, "{}\n"},
		{"both ways", []string{"call", url + "BidiEcho", "-d", `{"id":1}{"id":2}`}, 0, "{\n  \"id\": \"1\"\n}\n{\n  \"id\": \"2\"\n}\n"},
		{"both ways, cut", []string{"call", url + "BidiEcho", "-d", `{"id":1}{"id":2}`, "--take", "1"}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"a compressed request", []string{"call", url + "Echo", "--compress", "gzip", "-d", `{"id":1}`}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"a compressed answer", []string{"call", url + "Echo", "--compressed", "--compress", "gzip", "-d", `{"id":1}`}, 0, "{\n  \"id\": \"1\"\n}\n"},
		{"several messages for a unary call", []string{"call", url + "Echo", "-d", `{"id":1}{"id":2}`}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			invoke(t, c.args...).expect(t, c.code, c.stdout)
		})
	}
}

// K25: a stream that was taken from is cancelled, as the server sees it.
func TestTakeCancelsTheStream(t *testing.T) {
	s := startSvc(t, true)
	if got := invoke(t, "call", "grpc://"+s.address+"/t.Svc/Endless", "--take", "3"); got.code != 0 || got.stderr != "" {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	s.wait(t, 2) // the request, and the end of the stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ended) != 1 || s.ended[0] != context.Canceled {
		t.Errorf("the stream ended with %v, want context canceled", s.ended)
	}
}

// Messages of the standard input go out as they come: the second is written only after the first has arrived.
func TestCallSendsLive(t *testing.T) {
	s := startSvc(t, true)
	for _, method := range []string{"Up", "BidiEcho"} {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s compressed %v", method, packed), func(t *testing.T) {
				r, w := io.Pipe()
				done := make(chan session, 1)
				args := []string{"call", "grpc://" + s.address + "/t.Svc/" + method, "-d", "@-"}
				if packed {
					args = append(args, "--compress", "gzip")
				}
				go func() { done <- invokeReading(r, nil, args...) }()
				before := len(s.got())
				for _, m := range []string{`{"id":1}`, "\n{\"id\":2}", ` [{"id":3}`, `]`} {
					if _, err := io.WriteString(w, m); err != nil {
						t.Fatal(err)
					}
					if m != `]` {
						s.wait(t, 1)
					}
				}
				_ = w.Close()
				got := <-done
				want := "{\n  \"id\": \"3\"\n}\n"
				if method == "BidiEcho" {
					want = "{\n  \"id\": \"1\"\n}\n{\n  \"id\": \"2\"\n}\n" + want
				}
				got.expect(t, 0, want)
				if all := s.got()[before:]; len(all) != 3 || !bytes.Equal(all[2], []byte{8, 3}) {
					t.Errorf("the server received % x", all)
				}
			})
		}
	}
}

func TestCallRefusesBadLiveData(t *testing.T) {
	s := startSvc(t, true)
	got := invokeReading(strings.NewReader(`{"id":1} {"idd":2}`), nil, "call", "grpc://"+s.address+"/t.Svc/BidiEcho", "-d", "@-")
	if got.code != 2 || !strings.Contains(got.stderr, `unknown field "idd" in message t.M`) {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}

// K24: large messages work by default; a limit that is asked for names its flag.
func TestCallLargeMessages(t *testing.T) {
	s := startSvc(t, true)
	url := "grpc://" + s.address + "/t.Svc/"
	t.Run("a reply of 8,259,568 bytes", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "reply.json")
		got := invoke(t, "call", url+"Big", "-o", out)
		got.expect(t, 0, "")
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ B []byte }
		if err := json.Unmarshal(raw, &m); err != nil || len(m.B) != 8259563 {
			t.Errorf("%d bytes (%v), want 8259563", len(m.B), err)
		}
	})
	t.Run("a request of 16 MiB", func(t *testing.T) {
		file := writeFile(t, "big.json", `{"s":"`+strings.Repeat("x", 16<<20)+`"}`)
		got := invoke(t, "call", url+"Up", "-d", "@"+file)
		got.expect(t, 0, "{\n  \"id\": \"1\"\n}\n")
	})
	t.Run("above the limit", func(t *testing.T) {
		got := invoke(t, "call", url+"Big", "--max-reply", "1mb")
		if got.code != 3 || !strings.Contains(got.stderr, "--max-reply") || !strings.Contains(got.stderr, "8259568") {
			t.Errorf("exit %d\n%s", got.code, got.stderr)
		}
	})
}

func TestCallFailures(t *testing.T) {
	s := startSvc(t, true)
	url := "grpc://" + s.address + "/t.Svc/"
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"an error with details", []string{url + "Fail"}, 4, []string{"error: INTERNAL (13): " + badText + "\n",
			`  detail  google.rpc.ErrorInfo {"reason":"GONE","domain":"shop.test"}` + "\n", "exit 4 after "}},
		{"--exit-status", []string{url + "Fail", "--exit-status"}, 64 + 13, []string{"INTERNAL"}},
		{"a server that hangs", []string{url + "Hang", "-t", "50ms"}, 3, []string{"no answer within 50ms", "--timeout"}},
		{"a server that hangs, --max-time in seconds", []string{url + "Hang", "--max-time", "0.05", "--exit-status"}, 64 + 4, []string{"no answer within 50ms"}},
		{"a method that the server lacks", []string{"grpc://" + s.address + "/t.Svc/Gone", "--proto",
			writeFile(t, "t.proto", "syntax=\"proto3\"; package t; message M {} service Svc { rpc Gone(M) returns (M); }")}, 4,
			[]string{"UNIMPLEMENTED (12): unknown method /t.Svc/Gone", "wiregauge list grpc://" + s.address}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, append([]string{"call"}, c.args...)...)
			if got.code != c.code || got.stdout != "" {
				t.Errorf("exit %d, want %d; standard output %q", got.code, c.code, got.stdout)
			}
			for _, w := range c.want {
				if !strings.Contains(got.stderr, w) {
					t.Errorf("standard error lacks %q:\n%s", w, got.stderr)
				}
			}
		})
	}
}

func TestCallMetadata(t *testing.T) {
	s := startSvc(t, true)
	got := invoke(t, "call", "grpc://"+s.address+"/t.Svc/Echo", "-H", "X-One: 1", "-H", "x-bin: AQI=", "-m", `{"two":"2"}`,
		"-u", "me:secret", "-H", "Host: shop.test")
	if got.code != 0 {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, want := range map[string]string{"x-one": "1", "x-bin": "\x01\x02", "two": "2", "authorization": "Basic bWU6c2VjcmV0", ":authority": "shop.test"} {
		if v := s.metadata.Get(name); !slices.Equal(v, []string{want}) {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
}

// times are what differs from one call to the next.
var times = regexp.MustCompile(`\d+(\.\d)? ms \([^)]*\)`)

func TestCallVerbose(t *testing.T) {
	s := startSvc(t, true)
	url := "grpc://" + s.address + "/t.Svc/Echo"
	got := invoke(t, "call", url, "-d", `{"id":1}`, "-v")
	want := "> POST /t.Svc/Echo  h2c  schema: reflection v1\n< status OK   TIMES   sent 2 B body / N B wire   got 2 B body / N B wire\n"
	text := times.ReplaceAllString(got.stderr, "TIMES")
	text = regexp.MustCompile(`/ \d+ B wire`).ReplaceAllString(text, "/ N B wire")
	if got.code != 0 || text != want {
		t.Errorf("exit %d\n%s\nwant\n%s", got.code, text, want)
	}
	if !regexp.MustCompile(`\(connect \d+\.\d, first byte \d+(\.\d)?\)`).MatchString(got.stderr) {
		t.Errorf("the times are not told: %s", got.stderr)
	}
	got = invoke(t, "call", url, "-d", `{"id":1}`, "-vv", "-H", "one: 1")
	for _, want := range []string{"> POST /t.Svc/Echo", "> HEADERS stream 1", "> DATA stream 1", "< HEADERS stream 1", "< wg-header: h\n",
		"< trailer wg-trailer: t\n", "> one: 1\n", "sent 2 B body", "bytes sent  body 2, framing ", "bytes got   body 2, framing ", "connection  " + s.address} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("-vv lacks %q:\n%s", want, got.stderr)
		}
	}
}

// The bytes by kind that -vv tells add up to those on the wire.
func TestCallBytesAddUp(t *testing.T) {
	s := startSvc(t, true)
	got := invoke(t, "call", "grpc://"+s.address+"/t.Svc/Echo", "-d", `{"id":1}`, "-vv")
	wire := regexp.MustCompile(`/ (\d+) B wire`).FindAllStringSubmatch(got.stderr, -1)
	kinds := regexp.MustCompile(`body (\d+), framing (\d+), headers (\d+), control (\d+), TLS (\d+)`).FindAllStringSubmatch(got.stderr, -1)
	if len(wire) != 2 || len(kinds) != 2 {
		t.Fatal(got.stderr)
	}
	for i := range wire {
		sum := 0
		for _, n := range kinds[i][1:] {
			var v int
			fmt.Sscan(n, &v)
			sum += v
		}
		if fmt.Sprint(sum) != wire[i][1] {
			t.Errorf("%s bytes by kind make %d, on the wire %s", kinds[i][0], sum, wire[i][1])
		}
	}
}

func TestCallStack(t *testing.T) {
	s := startSvc(t, true)
	srv := startWeb(t)
	invoke(t, "call", "--client", "stack", "grpc://"+s.address+"/t.Svc/Echo", "-d", `{"id":5}`).expect(t, 0, "{\n  \"id\": \"5\"\n}\n")
	invoke(t, "call", "--client", "stack", srv.URL+"/echo", "-d", "x").expect(t, 0, "POST /echo application/json|x")
	invoke(t, "call", "--client", "stack", "grpc://"+s.address+"/t.Svc/Endless", "--take", "2").expect(t, 0, "{\n  \"id\": \"1\"\n}\n{\n  \"id\": \"2\"\n}\n")
	up := "grpc://" + s.address + "/t.Svc/Up"
	invoke(t, "call", "--client", "stack", up, "-d", `[{"id":1},{"id":2}]`).expect(t, 0, "{\n  \"id\": \"2\"\n}\n")
	live := invokeWith(t, t.Context(), nil, `{"id":1}{"id":2}`, "call", "--client", "stack", up, "-d", "@-")
	if live.code != exitUsage || !strings.Contains(live.stderr, "try     --client wire\n") || !strings.Contains(live.stderr, "-d @FILE") {
		t.Errorf("exit %d\n%s", live.code, live.stderr)
	}
	told := invoke(t, "call", "-vv", "--client", "stack", srv.URL+"/echo", "-d", "x").stderr
	if !strings.Contains(told, "the library does not tell the rest apart") || strings.Contains(told, "TLS") {
		t.Errorf("bytes of a library in clear text:\n%s", told)
	}
	got := invoke(t, "call", "--client", "stack", "grpc://"+s.address+"/t.Svc/Fail")
	if got.code != 4 || !strings.Contains(got.stderr, "INTERNAL (13): bad") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}
