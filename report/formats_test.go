package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wiregauge/report/internal/golden"
	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

func TestEveryFormatTellsEveryResultWithoutSentinels(t *testing.T) {
	sentinels := []string{"NaN", "Inf", "9007199254740991", "9223372036854775807", "-9223372036854775808", "1h0m0s", "%!"}
	for _, format := range Formats() {
		for _, c := range cases {
			out := render(t, format, c.files(), Options{UTF8: true, Width: 100})
			if len(out) == 0 {
				t.Errorf("%s of %s is empty", format, c.name)
			}
			for _, bad := range sentinels {
				if bytes.Contains(visible(out), []byte(bad)) {
					t.Errorf("%s of %s holds %q", format, c.name, bad)
				}
			}
		}
	}
}

// visible leaves out base64, in which any letters may stand.
func visible(out []byte) []byte {
	var kept []string
	for line := range strings.Lines(string(out)) {
		if len(line) < 4000 {
			kept = append(kept, line)
		}
	}
	text := strings.ReplaceAll(strings.Join(kept, ""), `le="+Inf"`, "") // what Prometheus calls its last bucket
	for {
		at := strings.Index(text, `"hdr_v2": "`)
		if at < 0 {
			return []byte(text)
		}
		end := strings.Index(text[at+11:], `"`)
		text = text[:at] + text[at+11+end:]
	}
}

func TestGoldenFormats(t *testing.T) {
	for _, format := range []string{"csv", "md"} {
		for _, c := range cases {
			t.Run(format+"/"+c.name, func(t *testing.T) {
				golden.Check(t, c.name+"."+format, render(t, format, c.files(), Options{}))
			})
		}
	}
}

func TestCSVGivesTheErrorTextBackExactly(t *testing.T) {
	for _, c := range []struct{ name, text, raw string }{
		{"comma, quotes and a line feed", sample.HostileText, ""},
		{"a line feed", "one\ntwo", "\"one\ntwo\""},
		{"carriage returns", "one\r\ntwo\rthree", "\"one\r\ntwo\rthree\""},
		{"quotes", `say "no"`, `"say ""no"""`},
		{"white space", " x ", `" x "`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := sample.Half()
			f.Arms[0].Errors[0].Message = c.text
			out := render(t, "csv", []*result.File{f}, Options{})
			if !bytes.HasPrefix(out, []byte("id,")) || !bytes.HasSuffix(out, []byte("\r\n")) {
				t.Fatalf("it begins with %.40q and ends with %q", out, out[len(out)-4:])
			}
			if c.raw != "" && !bytes.Contains(out, []byte(","+c.raw+",")) {
				t.Errorf("no field %s in\n%s", c.raw, out)
			}
			records, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if len(records) != 3 { // header, arm, error
				t.Fatalf("%d records, want a header, one arm and one class of errors", len(records))
			}
			want := strings.ReplaceAll(c.text, "\r\n", "\n") // Go's reader does that inside of fields
			if got := records[2][slices.Index(records[0], "error_text")]; got != want {
				t.Errorf("error text came back as\n%q, want\n%q", got, want)
			}
			if got := records[1][slices.Index(records[0], "p50_ns")]; got != "" {
				t.Errorf("p50 of 10 calls = %q, want it empty", got)
			}
		})
	}
}

func TestJSONLinesAreOneObjectASecondAndASummary(t *testing.T) {
	out := render(t, "jsonl", []*result.File{sample.Met()}, Options{})
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 31 {
		t.Fatalf("%d lines, want 30 seconds and a summary", len(lines))
	}
	var s second
	if err := json.Unmarshal([]byte(lines[12]), &s); err != nil || s.AtNS != 12e9 || s.Failed != 2 {
		t.Errorf("second 12 = %s (%v)", lines[12], err)
	}
	var last summary
	if err := json.Unmarshal([]byte(lines[30]), &last); err != nil || last.Type != "summary" {
		t.Fatalf("last line: %v", err)
	}
	if _, err := result.Read(bytes.NewReader(last.Result)); err != nil {
		t.Errorf("the summary is no result: %v", err)
	}
}

func TestMarkdownKeepsHostileTextPlain(t *testing.T) {
	out := string(render(t, "md", []*result.File{sample.Half()}, Options{}))
	for _, bad := range []string{"<script", "<img", "<b>", " `code`", "\x1b", "\u202e"} {
		if strings.Contains(out, bad) {
			t.Errorf("Markdown holds %q", bad)
		}
	}
}

func TestJSONOfSeveralResultsReadsBack(t *testing.T) {
	out := render(t, "json", []*result.File{sample.Met(), sample.Half()}, Options{})
	files, err := result.ReadAll(bytes.NewReader(out))
	if err != nil || len(files) != 2 {
		t.Fatalf("%d results, %v", len(files), err)
	}
}

func TestUnknownFormatListsTheKnownOnes(t *testing.T) {
	err := Write("xml", new(bytes.Buffer), []*result.File{sample.Met()}, Options{})
	if err == nil || !strings.Contains(err.Error(), "text, json") {
		t.Errorf("error = %v", err)
	}
}

func TestPercentilesAskedForAppearEverywhere(t *testing.T) {
	opt := Options{Percentiles: []float64{42, 97.5}, Width: 60}
	for format, want := range map[string][2]string{
		"text": {"p42", "p97.5"}, "csv": {"p42_ns", "p97.5_ns"}, "md": {"p42", "p97.5"}, "html": {"p42", "p97.5"},
		"json": {`"p": 42,`, `"p": 97.5,`}, "jsonl": {`"p":42,`, `"p":97.5,`}, "prom": {`percentile="42"`, `percentile="97.5"`},
		"influx": {"p42_ns=", "p97.5_ns="}, "gab": {"rest p42", "rest p97.5"}, "bmf": {"latency-p42", "latency-p97.5"},
		"benchstat": {"p42-ns/op", "p97.5-ns/op"},
	} {
		out := string(render(t, format, []*result.File{sample.Comparison()}, opt))
		for _, p := range want {
			if !strings.Contains(out, p) {
				t.Errorf("%s lacks %s", format, p)
			}
		}
		if other := strings.NewReplacer("42", "99.99").Replace(want[0]); format != "html" && strings.Contains(out, other) {
			t.Errorf("%s holds %s, which was not asked for", format, other)
		}
	}
}

func TestPercentilesAskedForLaterAreThoseOfTheHistogram(t *testing.T) {
	f := sample.Comparison()
	packed := f.Arms[0].Latency.Percentiles
	back, err := result.Read(bytes.NewReader(render(t, "json", []*result.File{f}, Options{Percentiles: []float64{97.5}})))
	if err != nil {
		t.Fatal(err)
	}
	got := back.Arms[0].Latency.Percentiles
	if len(got) != 1 || *got[0].NS != int64(f.Arms[0].Latency.Hist.Percentile(97.5)) || len(back.Plan.Percentiles) != 1 {
		t.Errorf("%+v", got)
	}
	if &packed[0] != &f.Arms[0].Latency.Percentiles[0] {
		t.Error("the result itself was changed")
	}
}

func TestEveryJSONValidatesAgainstThePublishedSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(result.SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("result.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, f := range c.files() {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(render(t, "json", []*result.File{f}, Options{})))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}
