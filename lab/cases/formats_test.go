package cases

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Tables are looked up in what people read, by the first cell of a row; text, Markdown and HTML say the same.
var tableFormats = []string{"text", "md", "html"}

var (
	gap  = regexp.MustCompile(`\s{2,}`)
	tag  = regexp.MustCompile(`<[^>]*>`)
	cell = regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`)
)

// cells are those of the row that begins with name, without that name.
func (s told) cells(t *testing.T, format, name string) []string {
	t.Helper()
	for line := range strings.Lines(s.formats[format]) {
		if row := split(format, line); len(row) > 1 && row[0] == name {
			return row[1:]
		}
	}
	t.Fatalf("%s has no row %q:\n%s", format, name, s.formats[format])
	return nil
}

func split(format, line string) []string {
	switch format {
	case "md":
		if !strings.HasPrefix(line, "| ") {
			return nil
		}
		return strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
	case "html":
		var row []string
		for _, m := range cell.FindAllStringSubmatch(line, -1) {
			row = append(row, html.UnescapeString(tag.ReplaceAllString(m[1], "")))
		}
		return row
	}
	return gap.Split(strings.TrimSpace(line), -1)
}

// headline is the sentence that the text begins with; the other formats have to tell the same.
func (s told) headline(t *testing.T) string {
	t.Helper()
	before, _, _ := strings.Cut(strings.Join(strings.Fields(s.stdout), " "), " Closed loop of")
	before, _, _ = strings.Cut(before, " Open loop,")
	for _, format := range []string{"md", "html"} {
		says(t, html.UnescapeString(tag.ReplaceAllString(strings.ReplaceAll(s.formats[format], "**", ""), "")), before)
	}
	return before
}

// records are those of the CSV by column name, of one kind: "arm", "error", "turn".
func (s told) records(t *testing.T, kind string) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(s.formats["csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, fields := range all[1:] {
		record := map[string]string{}
		for i, name := range all[0] {
			record[name] = fields[i]
		}
		if record["kind"] == kind {
			list = append(list, record)
		}
	}
	return list
}

// seconds are the lines of the JSON lines that tell a second of the measured window; the last line is the whole result.
func (s told) seconds(t *testing.T) (list []map[string]any) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(s.formats["jsonl"]), "\n")
	for i, line := range lines {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if last := i == len(lines)-1; (v["type"] == "summary") != last {
			t.Errorf("line %d of %d is of type %v", i+1, len(lines), v["type"])
		}
		if v["type"] == "second" {
			list = append(list, v)
		}
	}
	return list
}

// raw is the JSON of the only arm, undecoded by our own types.
func (s told) raw(t *testing.T) map[string]any {
	t.Helper()
	var v struct{ Arms []map[string]any }
	if err := json.Unmarshal([]byte(s.formats["json"]), &v); err != nil {
		t.Fatal(err)
	}
	return v.Arms[0]
}

// duration reads a time as tables print it: "~0.362 ms", "*1.83 s". ok is false where there is none.
func duration(text string) (d time.Duration, ok bool) {
	text = strings.TrimLeft(text, "~*")
	number, unit, ok := strings.Cut(text, " ")
	if !ok || !slices.Contains([]string{"ns", "µs", "us", "ms", "s"}, unit) {
		return 0, false
	}
	d, err := time.ParseDuration(strings.ReplaceAll(number, ",", "") + unit)
	return d, err == nil
}

// noNumber finds what stands for a number that does not exist: no-numbers, ends of types, negative counts and times.
var noNumber = regexp.MustCompile(`NaN|[+-]Inf\b|\bInf\b|9007199254740991|9223372036854775807|18446744073709551615|4294967295|e\+308|"[a-z_0-9.]+":\s*-[0-9]`)

// packed are histograms, and the result inside a page, whose letters may spell anything.
var packed = regexp.MustCompile(`"hdr_v2":\s*"[^"]*"|[A-Za-z0-9+/=]{200,}`)

// noSentinel checks that no format holds a number that stands for none.
func (s told) noSentinel(t *testing.T) {
	t.Helper()
	for format, text := range s.formats {
		text = packed.ReplaceAllString(text, "")
		if at := noNumber.FindStringIndex(text); at != nil {
			t.Errorf("%s holds %q: …%s…", format, text[at[0]:at[1]], text[max(at[0]-60, 0):min(at[1]+60, len(text))])
		}
	}
}
