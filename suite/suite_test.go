package suite

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wiregauge/internal/option"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// options are like those of a real command, fewer.
type options struct {
	Total       option.Count  `flag:"total,n" help:"calls"`
	Concurrency int           `flag:"concurrency,c" min:"1" help:"in flight"`
	Rate        string        `flag:"rate,r" alias:"-q,-R" help:"calls/s"`
	Warmup      string        `flag:"warmup" help:"before"`
	Timeout     time.Duration `flag:"timeout,t" bare:"s" help:"per call"`
	FailIf      []string      `flag:"fail-if" help:"bound"`
	Header      []string      `flag:"header,H" help:"header"`
	Data        string        `flag:"data,d" help:"data"`
	Contract    []string      `flag:"proto" alias:"contract" help:"contract"`
	Baseline    string        `flag:"baseline" help:"arm"`
	NoKeepAlive bool          `flag:"no-keepalive" help:"a connection per call"`
	Secret      string        `flag:"file,f" suite:"-" help:"not in a file"`
}

func keys() Keys {
	set := []*option.Set{option.Bind(nil, &options{})}
	return Keys{Suite: set, Target: set}
}

func noEnv(string) (string, bool) { return "", false }

const whole = `# a comment
name-of-nothing: &n 7
`

const inventory = `contract: inventory.proto
data: {sku: "42", id: 1000000000000000089, tags: [a, true, null]}
load: {mode: open, rate: 2000, warmup: 5000}
header: {X-One: a, X-Two: b}
targets:
  rest: {url: "http://localhost:8080/v1/stock/check", no-keepalive: true}
  grpc:
    url: grpc://localhost:{port}/inv.v1.Inventory/Check
    start: ./inventory-server --port {port}
    environ: {PORT: "{port}"}
    timeout: 2s
  plain: http://localhost:1/
baseline: rest
fail-if: ['grpc.p99 < 50ms', 'errors < 0.1%']
`

func TestParse(t *testing.T) {
	f, err := Parse("inventory.yaml", []byte(inventory), keys(), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	var o options
	set := option.Bind(nil, &o)
	if err := f.Apply(set); err != nil {
		t.Fatal(err)
	}
	if want := `{"sku":"42","id":1000000000000000089,"tags":["a",true,null]}`; o.Data != want {
		t.Errorf("data is %s, want %s", o.Data, want)
	}
	if o.Rate != "2000" || o.Warmup != "5000" || o.Baseline != "rest" || o.Contract[0] != "inventory.proto" {
		t.Errorf("got %+v", o)
	}
	if got := strings.Join(o.Header, "|"); got != "X-One: a|X-Two: b" {
		t.Errorf("headers %q", got)
	}
	if got := strings.Join(o.FailIf, "|"); got != "grpc.p99 < 50ms|errors < 0.1%" {
		t.Errorf("gates %q", got)
	}
	if origin, from := set.Lookup("rate").Origin(); origin != option.File || from != "inventory.yaml:3" {
		t.Errorf("rate comes from %v %s", origin, from)
	}
	grpc := f.Targets[1]
	if len(f.Targets) != 3 || grpc.Name != "grpc" || grpc.Start[0] != "./inventory-server --port {port}" || grpc.Environ[0] != "PORT={port}" {
		t.Errorf("targets %+v", f.Targets)
	}
	if err := f.ApplyTarget(set, &grpc); err != nil || o.Timeout != 2*time.Second {
		t.Errorf("timeout of grpc is %v, %v", o.Timeout, err)
	}
	if f.Targets[2].URL != "http://localhost:1/" {
		t.Errorf("the short form gave %+v", f.Targets[2])
	}
}

// A key of later work is refused where it stands, never taken without effect.
func TestReadyIsRefused(t *testing.T) {
	_, err := Parse("s.yaml", []byte("targets:\n  a: {url: 'http://h', start: ./server, ready: tcp}\n"), keys(), noEnv)
	if err == nil || !strings.Contains(err.Error(), "s.yaml:2:41: ready is not in this version") {
		t.Errorf("got %v", err)
	}
}

func TestAFlagWinsOverTheFileInAnyOrder(t *testing.T) {
	f, err := Parse("s.yaml", []byte("header: ['A: b', 'C: d']\nconcurrency: 7\ntargets: {x: 'http://h'}\n"), keys(), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"file", "flag"} {
		var o options
		set := option.Bind(nil, &o)
		flagged := func() {
			if err := set.Lookup("header").Apply(option.Flag, "", "E: f"); err != nil {
				t.Fatal(err)
			}
		}
		if first == "flag" {
			flagged()
		}
		if err := f.Apply(set); err != nil {
			t.Fatal(err)
		}
		if first == "file" {
			flagged()
		}
		if strings.Join(o.Header, "|") != "E: f" || o.Concurrency != 7 {
			t.Errorf("%s first: headers %q, concurrency %d", first, o.Header, o.Concurrency)
		}
	}
}

func TestValuesFromTheEnvironment(t *testing.T) {
	lookup := func(name string) (string, bool) { return "value", name == "KNOWN" }
	for _, c := range []struct{ name, text, want string }{
		{"alone", "data: ${KNOWN}", "value"},
		{"inside a word", "data: a-${KNOWN}-b", "a-value-b"},
		{"escaped", "data: 'a $${KNOWN}'", "a ${KNOWN}"},
		{"in JSON", "data: {k: '${KNOWN}'}", `{"k":"value"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Parse("s.yaml", []byte(c.text), keys(), lookup)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Settings[0].Values[0]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestMistakes compares every mistake of testdata/*.yaml with the golden text beside it.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse("suite.yaml", text, keys(), noEnv)
			var all Mistakes
			if !errors.As(err, &all) {
				t.Fatalf("no mistakes found: %v", err)
			}
			golden := strings.TrimSuffix(name, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got := all.Error() + "\n"; got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestSchemaTakesWhatParseTakes(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(Schema(keys()))))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("suite.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("suite.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		good       bool
	}{
		{"a whole suite", `{"contract":"a.proto","load":{"mode":"open","rate":2000},"targets":{"a":{"url":"http://h","timeout":"2s"},"b":"http://h"}}`, true},
		{"an unknown key", `{"concurency":64}`, false},
		{"an unknown key of load", `{"load":{"n":1}}`, false},
		{"a target without url", `{"targets":{"a":{"timeout":"2s"}}}`, false},
		{"a flag that has no place in a file", `{"file":"x"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); (err == nil) != c.good {
				t.Errorf("schema: %v", err)
			}
			if _, err := Parse("s.yaml", []byte(c.text), keys(), noEnv); (err == nil) != c.good {
				t.Errorf("Parse: %v", err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(inventory))
	f.Add([]byte(whole))
	f.Add([]byte("a: &a [*a, *a]"))
	f.Add([]byte("data: ${X"))
	f.Add([]byte("load:\n\trate: 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := Parse("s.yaml", text, keys(), noEnv); err != nil && err.Error() == "" {
			t.Error("a mistake without words")
		}
	})
}

// TestFilesThatNobodyWrote: nesting and sizes that would take memory without end are refused before they are parsed,
// and what is shown of them stays short.
func TestFilesThatNobodyWrote(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"brackets", strings.Repeat("[", 300_000), "suite.yaml:1:1001: nested deeper than 1000"},
		{"braces", strings.Repeat("{a: ", 100_000), "nested deeper than 1000"},
		{"dashes", "targets:\n" + strings.Repeat("- ", 100_000), "suite.yaml:2:2002: nested deeper than 1000"},
		{"a long line", "targets: {x: 'http://h'}\nlabel: " + strings.Repeat("ü", 5000) + "\nnope: 1", "suite.yaml:3:1: unknown key"},
		{"mode at the top", "mode: open\ntargets: {x: 'http://h'}", "suite.yaml:1:1: \"mode\" stands under load"},
		{"a mistake far right", "targets: {x: 'http://h'" + strings.Repeat(" ", 5000) + ", y: }", "a target is a URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("suite.yaml", []byte(c.text), keys(), noEnv)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("got %.2000v, want %q in few words", err, c.want)
			}
		})
	}
	if _, err := Parse("suite.yaml", []byte("# "+strings.Repeat("-", 5000)+"\ntargets: {x: 'http://h'}"), keys(), noEnv); err != nil {
		t.Errorf("a line drawn in a comment: %v", err)
	}
}
