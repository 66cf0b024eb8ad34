package wrong

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file in a folder and gives its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	check(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestDataThatIsNone: what is wrong with a user's data is exit 2 before anything is sent, in call and in run, with the
// place in the data.
func TestDataThatIsNone(t *testing.T) {
	dir := t.TempDir()
	url := urlOf("grpc", good(t, "grpc"))
	deep := write(t, dir, "deep.json", strings.Repeat("[", 200_000))
	nested := write(t, dir, "nested.json", strings.Repeat(`{"s":`, 50_000))
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"no JSON", []string{"-d", "hello"}, []string{"line 1, column 1: bad JSON"}},
		{"JSON that ends early", []string{"-d", `{"id":`}, []string{"line 1, column 7: bad JSON: the JSON ends too early"}},
		{"JSON and more", []string{"-d", `{"id":1} more`}, []string{"line 1, column 10: bad JSON"}},
		{"a mistake in the third line", []string{"-d", "{\n \"id\":1,\n \"s\" \"x\"\n}"}, []string{"line 3, column 6: bad JSON"}},
		{"a list that ends early", []string{"-d", `[{"id":1},`}, []string{"bad JSON: the JSON ends too early"}},
		{"an empty list", []string{"-d", `[]`}, []string{"the data holds no message"}},
		{"an empty file", []string{"-d", "@" + write(t, dir, "empty", "")}, []string{"the data holds no message"}},
		{"white space", []string{"-d", "@" + write(t, dir, "blank", "\r\n\t ")}, []string{"the data holds no message"}},
		{"nothing but a byte order mark", []string{"-d", "@" + write(t, dir, "mark", "\ufeff")}, []string{"the data holds no message"}},
		{"UTF-16", []string{"-d", "@" + write(t, dir, "utf16", "\xff\xfe{\x00}\x00")}, []string{"UTF-16"}},
		{"binary junk", []string{"-d", "@" + write(t, dir, "junk", "\x00\x01\x02\xff\x1b[31m")}, []string{"line 1, column 1: bad JSON"}},
		{"nesting beyond sense", []string{"-d", "@" + deep}, []string{"bad JSON", "depth"}},
		{"objects beyond sense", []string{"-d", "@" + nested}, []string{"bad JSON"}},
		{"a null", []string{"-d", "null"}, []string{"line 1, column 1: bad JSON: unexpected token null"}},
		{"an unknown field", []string{"-d", `{"idd":1}`}, []string{`unknown field "idd" in message t.M`, "fields", "did you mean"}},
		{"a word for a number", []string{"-d", `{"id":"many"}`}, []string{"line 1, column 7", "id"}},
		{"a number beyond 64 bits", []string{"-d", `{"id":9223372036854775808}`}, []string{"id", "9223372036854775808"}},
		{"no base64", []string{"-d", `{"b":"***"}`}, []string{"line 1, column 6", "b"}},
		{"a field twice", []string{"-d", `{"id":1,"id":2}`}, []string{`duplicate field "id"`}},
		{"a file that is not there", []string{"-d", "@nowhere.json"}, []string{"open nowhere.json: no such file or directory"}},
		{"a folder", []string{"-d", "@" + dir}, []string{"is a directory"}},
		{"a folder as -D", []string{"-D", dir}, []string{"is a directory"}},
		{"a folder as --binary", []string{"--binary", dir}, []string{"is a directory"}},
		{"data twice", []string{"-d", "{}", "-D", deep}, []string{"-d and -D: give the data once"}},
		{"messages that do not fit their file", []string{"--binary", deep, "--framing", "delimited"}, []string{"at byte", "its length does not fit the file"}},
		{"an unknown codec", []string{"-d", "{}", "--codec", "xml"}, []string{`unknown codec "xml"`}},
		{"an unknown method", []string{"-d", "{}", "--call", "t.Svc/Ecko"}, []string{`no method "Ecko" in service t.Svc`, "did you mean"}},
		{"an unknown service", []string{"-d", "{}", "--call", "t.Service/Echo"}, []string{`no service "t.Service"`}},
		{"no method at all", []string{"-d", "{}", "--call", "Echo"}, []string{"Echo"}},
		{"metadata that is no JSON", []string{"-d", "{}", "-m", "{"}, []string{"--metadata wants a JSON object"}},
		{"a header with a line break", []string{"-d", "{}", "-H", "a: b\nc: d"}, []string{"--header wants 'Name: value'"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, word := range []string{"call", "run"} {
				args := append([]string{word, url, "--proto", protoFile(t)}, c.args...)
				wg(t, args...).refuses(t, 2, append(c.want, "error: ")...)
			}
		})
	}
}

// TestContractsThatAreNone: descriptions that cannot be read are exit 2 with their place, and imports that are not
// found with the paths that were tried.
func TestContractsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	imports := write(t, dir, "imports.proto", `syntax = "proto3"; import "nope/a.proto"; package p;`)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"a file that is not there", []string{"--proto", "nowhere.proto", "-I", "/nope", "-I", dir}, []string{`proto file "nowhere.proto" not found; tried /nope/nowhere.proto, ` + filepath.Join(dir, "nowhere.proto")}},
		{"an import that is not there", []string{"--proto", imports, "-I", "/nope"}, []string{`imports.proto:1:27: import "nope/a.proto" not found; tried /nope/nope/a.proto`, "name its folder with -I"}},
		{"no proto", []string{"--proto", write(t, dir, "junk.proto", "\x00\x01junk")}, []string{"junk.proto:1:1: "}},
		{"a mistake in its place", []string{"--proto", write(t, dir, "bad.proto", "syntax = \"proto3\";\nmessage {")}, []string{"bad.proto:2:9: syntax error"}},
		{"a file that imports itself", []string{"--proto", write(t, dir, "self.proto", `syntax = "proto3"; import "self.proto";`), "-I", dir}, []string{"cycle found in imports"}},
		{"a folder", []string{"--proto", dir}, []string{dir}},
		{"no protoset", []string{"--protoset", write(t, dir, "junk.protoset", "junk")}, []string{"not a FileDescriptorSet; make one with protoc"}},
		{"an empty protoset", []string{"--protoset", write(t, dir, "empty.protoset", "")}, []string{"not a FileDescriptorSet"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, args := range [][]string{{"call", "grpc://127.0.0.1:1/a.B/C"}, {"run", "grpc://127.0.0.1:1/a.B/C"}, {"list"}, {"describe"}} {
				if args[0] == "describe" {
					args = append(args, "a.B")
				}
				wg(t, append(args, c.args...)...).refuses(t, 2, c.want...)
			}
		})
	}
}

// TestDevicesAndEndlessFiles: a file that never ends, or is not what its flag wants, is refused and does not fill the
// memory.
func TestDevicesAndEndlessFiles(t *testing.T) {
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		return // a system without it
	}
	for _, args := range [][]string{
		{"report", endless},
		{"run", "-f", endless},
		{"compare", "-f", endless},
		{"call", "grpc://127.0.0.1:1/a.B/C", "--proto", endless},
		{"call", "https://127.0.0.1:1/", "--cacert", endless},
		{"list", "--protoset", endless},
		{"call", "http://127.0.0.1:1/", "-d", "@" + endless},
		{"run", "http://127.0.0.1:1/", "-D", endless},
		{"run", "h2c://127.0.0.1:1/", "--binary", endless},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			s := wg(t, args...)
			s.refuses(t, 2, endless)
			if s.peak > mostOfStack {
				t.Errorf("%d MiB of memory", s.peak>>20)
			}
		})
	}
}

// TestSuiteOfMistakes: all mistakes of a suite file are told at once, each with its place and the line; the two
// commands that read suites say the same.
func TestSuiteOfMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.yaml")
	check(t, err)
	dir := t.TempDir()
	write(t, dir, "mistakes.yaml", string(text))
	run := command{args: []string{"run", "-f", "mistakes.yaml"}, dir: dir}.run(t)
	run.refuses(t, 2)
	golden(t, "mistakes.txt", run.stderr)
	compare := command{args: []string{"compare", "-f", "mistakes.yaml"}, dir: dir}.run(t)
	compare.refuses(t, 2)
	if compare.stderr != run.stderr {
		t.Errorf("compare says\n%s", compare.stderr)
	}
}

// TestSuitesThatAreNone: what is no suite at all.
func TestSuitesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		list := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ",")
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, list)
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "s.yaml:1:1: the file is empty"},
		{"a list", "- a", "s.yaml:1:1: a suite is a mapping"},
		{"a number", "5", "s.yaml:1:1: a suite is a mapping"},
		{"junk", "\x00\x01\xff\xfe{", "s.yaml:1:"},
		{"a brace too few", "targets: {x: {url: null://}", "s.yaml:1:"},
		{"a key twice", "targets: {x: null://}\ntotal: 5\ntotal: 6", "s.yaml:3:1: "},
		{"a tab", "targets:\n\tx: null://", "s.yaml:2:1: "},
		{"no targets", "targets: {}", "s.yaml:1:10: targets is a mapping of names"},
		{"a target of nothing", "targets: {x: }", "s.yaml:1:13: a target is a URL"},
		{"an anchor that holds itself", "targets: &t {x: *t}", "contains itself"},
		{"aliases without end", bomb, "more than 100000 values"},
		{"nesting without end", strings.Repeat("[", 300_000), "s.yaml:1:1001: nested deeper than 1000"},
		{"a variable that is not set", "targets: {x: '${NOPE}'}", "s.yaml:1:14: no value for ${NOPE}: give --env NOPE=…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, t.TempDir(), "s.yaml", c.text)
			s := wg(t, "run", "-f", path)
			s.refuses(t, 2, c.want)
			if s.peak > most || len(s.stderr) > 20_000 {
				t.Errorf("%d MiB of memory, %d bytes of words", s.peak>>20, len(s.stderr))
			}
		})
	}
	wg(t, "run", "-f", dir).refuses(t, 2, "is a directory")
}

// TestResultsThatAreNone: report reads nothing but results, and says what it was given.
func TestResultsThatAreNone(t *testing.T) {
	const head = `{"schema":"wiregauge.result/v1","kind":"run","arms":`
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "it is empty"},
		{"junk", "\x00\xff\x1b[31m", "not a wiregauge result: no JSON at line 1"},
		{"nesting without end", strings.Repeat("[", 200_000), "not a wiregauge result"},
		{"half of one", head + `[{"name":"a"`, "was it copied whole?"},
		{"an empty list", "[]", "the list is empty"},
		{"a list of numbers", "[1,2]", "result 1 of 2"},
		{"another tool's", `{"metrics":{}}`, `JSON without "schema"`},
		{"a newer one", `{"schema":"wiregauge.result/v9"}`, "use a newer wiregauge"},
		{"no arms", head + `[]}`, "the result has no arms"},
		{"an arm of null", head + `[null]}`, ""},
		{"a count below 0", head + `[{"due":-1}]}`, "below 0"},
		{"a number beyond all", head + `[{"due":1e400}]}`, "fits 64 bits"},
		{"no histogram", head + `[{"latency":{"n":5,"hdr_v2":"!!!"}}]}`, "not an HdrHistogram"},
		{"gzip cut off", "\x1f\x8b\x08\x00", "gzip"},
		{"a page of another kind", "<!DOCTYPE html><p>hello", "without the data block"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, t.TempDir(), "r.json", c.text)
			if c.want == "" { // nothing was measured, and that is what is told
				wg(t, "report", path).wants(t, 0)
				return
			}
			for _, more := range [][]string{nil, {"-o", "html=r.html"}, {"-o", "csv=-"}} {
				wg(t, append([]string{"report", path}, more...)...).refuses(t, 2, c.want, path)
			}
		})
	}
	wg(t, "report", t.TempDir()).refuses(t, 2, "is a directory")
	wg(t, "report", "nowhere.json").refuses(t, 2, "there is no such file")
}
