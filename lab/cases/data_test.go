package cases

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wiregauge/lab/casesvc"
)

// An exact value: how JSON says it, and the message on the wire.
type exact struct {
	name, json, hex string
	text            string // the message as JSON again; "" for the same
}

// exactNumbers are those that pass through a float in other tools.
var exactNumbers = []exact{
	{"above 2^53", `{"id":1000000000000000089}`, "08 d9 80 90 bb ba d6 ad f0 0d", `{"id":"1000000000000000089"}`},
	{"negative", `{"id":-1472264933949945808}`, "08 b0 90 99 e5 fc da dd c8 eb 01", `{"id":"-1472264933949945808"}`},
	{"the largest int64", `{"id":9223372036854775807}`, "08 ff ff ff ff ff ff ff ff 7f", `{"id":"9223372036854775807"}`},
	{"the smallest int64", `{"id":-9223372036854775808}`, "08 80 80 80 80 80 80 80 80 80 01", `{"id":"-9223372036854775808"}`},
	{"with an exponent", `{"id":1e18}`, "08 80 80 90 bb ba d6 ad f0 0d", `{"id":"1000000000000000000"}`},
	{"as a string", `{"id":"1000000000000000089"}`, "08 d9 80 90 bb ba d6 ad f0 0d", ""},
	{"negative, as a string", `{"id":"-1472264933949945808"}`, "08 b0 90 99 e5 fc da dd c8 eb 01", ""},
	{"the largest uint64", `{"u":[18446744073709551615]}`, "32 0a ff ff ff ff ff ff ff ff ff 01", `{"u":["18446744073709551615"]}`},
	{"in a repeated field", `{"u":[1,"18446744073709551615",1e18]}`, "32 14 01 ff ff ff ff ff ff ff ff ff 01 80 80 90 bb ba d6 ad f0 0d",
		`{"u":["1","18446744073709551615","1000000000000000000"]}`},
	{"value of a map", `{"m":{"k":9223372036854775807}}`, "2a 0d 0a 01 6b 10 ff ff ff ff ff ff ff ff 7f", `{"m":{"k":"9223372036854775807"}}`},
	{"negative value of a map", `{"m":{"k":-1472264933949945808}}`, "2a 0e 0a 01 6b 10 b0 90 99 e5 fc da dd c8 eb 01", `{"m":{"k":"-1472264933949945808"}}`},
	{"key of a map", `{"k":{"9223372036854775807":"x"}}`, "52 0d 08 ff ff ff ff ff ff ff ff 7f 12 01 78", ""},
}

// anyFile is a contract of the same method whose message holds an Any.
var anyFile = strings.Replace(strings.ReplaceAll(protoFile, "(M)", "(A)"), "message M", `import "google/protobuf/any.proto";
message A { google.protobuf.Any any = 1; }
message M`, 1)

// inAny is an exact number in an Any.
var inAny = exact{"in an Any", `{"any":{"@type":"type.googleapis.com/t.M","id":1000000000000000089}}`,
	"0a 25 0a 17" + hex.EncodeToString([]byte("type.googleapis.com/t.M")) + "12 0a 08 d9 80 90 bb ba d6 ad f0 0d",
	`{"any":{"@type":"type.googleapis.com/t.M","id":"1000000000000000089"}}`}

// K03: 64-bit integers are exact, with -d, in a file, inside an array in a file, and from standard input; on call,
// run and compare; as protobuf and as JSON; and back again.
func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	plain, withAny := written(t, "t.proto", protoFile), written(t, "any.proto", anyFile)
	for _, x := range append(exactNumbers, inAny) {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			s := svc(t, casesvc.Options{})
			contract := plain
			if x.name == inAny.name {
				contract = withAny
			}
			grpc := []string{s.URL("grpc", "Echo"), "--proto", contract}
			once, list := written(t, "one.json", x.json), written(t, "list.json", "["+x.json+","+x.json+"]")
			for _, way := range []struct {
				name, stdin string
				args        []string
			}{
				{"call -d", "", append([]string{"call", "-d", x.json}, grpc...)},
				{"call, library", "", append([]string{"call", "-d", x.json, "--client", "stack"}, grpc...)},
				{"call, file", "", append([]string{"call", "-d", "@" + once}, grpc...)},
				{"call, standard input", x.json, append([]string{"call", "-d", "@-"}, grpc...)},
				{"run -d", "", append([]string{"run", "-n", "2", "-d", x.json}, grpc...)},
				{"run, array in a file", "", append([]string{"run", "-n", "4", "-D", list}, grpc...)},
				{"run, library, array in a file", "", append([]string{"run", "-n", "4", "-D", list, "--client", "stack"}, grpc...)},
				{"compare, file", "", append([]string{"compare", "-n", "10", "--rounds", "2", "-d", "@" + once, "other=" + grpc[0], "one=" + grpc[0]}, grpc[1:]...)},
			} {
				s.Reset()
				got := wg(t, way.stdin, way.args...)
				if got.code != exitOK {
					t.Errorf("%s: exit %d\n%s", way.name, got.code, got.stderr)
				}
				received(t, s, way.name, x.hex)
				if strings.HasPrefix(way.name, "call") {
					sameJSON(t, way.name, got.stdout, x.want())
				}
			}
			overHTTP(t, s, x, contract)
		})
	}
}

// want is the message as JSON as it is told back.
func (x exact) want() string {
	if x.text == "" {
		return x.json
	}
	return x.text
}

// received checks that every message that came is exactly that.
func received(t *testing.T, s *casesvc.Server, how, want string) {
	t.Helper()
	want = strings.ReplaceAll(want, " ", "")
	messages := s.Messages()
	if len(messages) == 0 {
		t.Errorf("%s: nothing came", how)
	}
	for _, m := range messages {
		if hex.EncodeToString(m.Bytes) != want {
			t.Errorf("%s: received %x, want %s", how, m.Bytes, want)
			return
		}
	}
}

// overHTTP sends the same as JSON: as it was typed without a contract, in its exact form with one.
func overHTTP(t *testing.T, s *casesvc.Server, x exact, contract string) {
	t.Helper()
	for _, w := range []way{{"http", "wire"}, {"h2c", "stack"}} {
		for _, c := range []struct {
			name string
			args []string
			want string // hex
		}{
			{"as typed", []string{"-d", x.json}, hex.EncodeToString([]byte(x.json))},
			{"protobuf", []string{"-d", x.json, "--proto", contract, "--call", "t.Svc/Echo", "--codec", "protobuf"}, x.hex},
			{"JSON with a contract", []string{"-d", x.json, "--proto", contract, "--call", "t.Svc/Echo"}, hex.EncodeToString([]byte(x.want()))},
		} {
			s.Reset()
			how := fmt.Sprintf("%s, %s", w, c.name)
			got := wg(t, "", append([]string{"call", s.URL(w.scheme, "Echo"), "--client", w.client}, c.args...)...)
			if got.code != exitOK {
				t.Errorf("%s: exit %d\n%s", how, got.code, got.stderr)
			}
			received(t, s, how, c.want)
		}
	}
}

// sameJSON compares JSON to the digit.
func sameJSON(t *testing.T, how, got, want string) {
	t.Helper()
	var a, b bytes.Buffer
	if err := json.Compact(&a, []byte(got)); err != nil {
		t.Errorf("%s: %v in %q", how, err, got)
		return
	}
	if err := json.Compact(&b, []byte(want)); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("%s: answered %s, want %s", how, a.String(), b.String())
	}
}

// K03: a number that does not fit is refused before anything is sent, and the field is named.
func TestNumbersThatDoNotFit(t *testing.T) {
	t.Parallel()
	s := svc(t, casesvc.Options{})
	for _, c := range []struct{ name, json, field string }{
		{"above int64", `{"id":9223372036854775808}`, "id"},
		{"far above int64", `{"id":1e19}`, "id"},
		{"a fraction", `{"id":1.5}`, "id"},
		{"above uint64", `{"u":[1,18446744073709551616]}`, "u[1]"},
		{"below 0", `{"u":[-1]}`, "u[0]"},
		{"a string that is no number", `{"id":"1x"}`, "id"},
		{"a value of a map", `{"m":{"key":9223372036854775808}}`, "m.key"},
		{"a key of a map", `{"k":{"9223372036854775808":"x"}}`, `k["9223372036854775808"]`},
		{"above int32", `{"y":2147483648}`, "y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range [][]string{
				{"call", s.URL("grpc", "Echo")},
				{"run", s.URL("grpc", "Echo"), "-n", "1"},
				{"compare", "a=" + s.URL("grpc", "Echo"), "b=" + s.URL("grpc", "Echo"), "-n", "1"},
			} {
				got := wg(t, "", append(args, "-d", c.json)...)
				if got.code != exitUsage || s.Calls("Echo") != 0 {
					t.Errorf("%s: exit %d, %d calls", args[0], got.code, s.Calls("Echo"))
				}
				says(t, got.stderr, c.field)
			}
		})
	}
}

// K04: data that begins with white space or a byte order mark, with LF and CRLF, is taken: the message is 08 01.
func TestWhiteSpaceAndByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text string }{
		{"a list after a newline", "\n[{\"id\":1}]"},
		{"a list after a CRLF", "\r\n[{\"id\":1}]\r\n"},
		{"a byte order mark", "\xef\xbb\xbf{\"id\":1}"},
		{"a byte order mark and LF", "\xef\xbb\xbf\n{\"id\":1}\n"},
		{"a byte order mark and CRLF", "\xef\xbb\xbf\r\n{\r\n\"id\":1\r\n}\r\n"},
		{"a byte order mark before a list", "\xef\xbb\xbf[{\"id\":1}]"},
		{"tabs and spaces", " \t\n {\"id\":1}\t "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := svc(t, casesvc.Options{})
			file, url := written(t, "data.json", c.text), s.URL("grpc", "Echo")
			eachCommand(t, s, url, file, c.text, "08 01")
		})
	}
}

// K05: data from standard input, as @- and as a lone @: the server receives 08 07.
func TestDataFromStandardInput(t *testing.T) {
	t.Parallel()
	s := svc(t, casesvc.Options{})
	for _, flags := range [][]string{{"-d", "@-"}, {"-d", "@"}, {"--data=@"}, {"--data=@-"}, {"-D", "-"}} {
		for _, command := range [][]string{
			{"call", s.URL("grpc", "Echo")}, {"call", s.URL("grpc", "Echo"), "--client", "stack"},
			{"run", s.URL("grpc", "Echo"), "-n", "2"},
			{"compare", "a=" + s.URL("grpc", "Echo"), "b=" + s.URL("grpc", "Echo"), "-n", "4", "--rounds", "2"},
		} {
			s.Reset()
			got := wg(t, "{\"id\":7}\n", append(command, flags...)...)
			if got.code != exitOK {
				t.Errorf("%s %q: exit %d\n%s", command[0], flags, got.code, got.stderr)
			}
			received(t, s, strings.Join(append(command[:1], flags...), " "), "08 07")
		}
	}
	t.Run("nothing on standard input is not an empty message", func(t *testing.T) {
		s.Reset()
		for _, command := range []string{"call", "run"} {
			got := wg(t, "", command, s.URL("grpc", "Echo"), "-d", "@-")
			if got.code != exitUsage || s.Calls("Echo") != 0 {
				t.Errorf("%s: exit %d, %d calls\n%s", command, got.code, s.Calls("Echo"), got.stderr)
			}
		}
	})
}

// eachCommand sends a file with every command, and as standard input, and checks the one message.
func eachCommand(t *testing.T, s *casesvc.Server, url, file, text, want string) {
	t.Helper()
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"", []string{"call", url, "-d", "@" + file}},
		{"", []string{"call", url, "-D", file, "--client", "stack"}},
		{text, []string{"call", url, "-d", "@-"}},
		{"", []string{"run", url, "-n", "2", "-d", "@" + file}},
		{"", []string{"compare", "a=" + url, "b=" + url, "-n", "4", "--rounds", "2", "-D", file}},
	} {
		s.Reset()
		got := wg(t, c.stdin, c.args...)
		if got.code != exitOK {
			t.Errorf("%q: exit %d\n%s", c.args, got.code, got.stderr)
		}
		received(t, s, strings.Join(c.args, " "), want)
	}
}
