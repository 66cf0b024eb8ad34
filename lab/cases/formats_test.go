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

// cells are those of the row that begins with name, without that name. A table too wide for the text goes on below
// itself, under the same names.
func (s told) cells(t *testing.T, format, name string) []string {
	t.Helper()
	var cells []string
	for line := range strings.Lines(s.formats[format]) {
		if row := split(format, line); len(row) > 1 && row[0] == name {
			cells = append(cells, row[1:]...)
			if format != "text" {
				break
			}
		}
	}
	if len(cells) == 0 {
		t.Fatalf("%s has no row %q:\n%s", format, name, s.formats[format])
	}
	return cells
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

// headline is the sentence that Markdown has in bold; the text begins with it, and the page has to tell the same.
func (s told) headline(t *testing.T) string {
	t.Helper()
	_, after, _ := strings.Cut(s.formats["md"], "**")
	words, _, found := strings.Cut(after, "**")
	if !found {
		t.Fatalf("nothing in bold:\n%s", s.formats["md"])
	}
	words = strings.Join(strings.Fields(words), " ")
	if text := strings.Join(strings.Fields(s.stdout), " "); !strings.HasPrefix(text, words) {
		t.Errorf("the text does not begin with %q:\n%s", words, s.stdout)
	}
	says(t, html.UnescapeString(tag.ReplaceAllString(s.formats["html"], "")), words)
	return words
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

// duration reads a time as tables print it: "~0.362 ms", "*1.83 s", "!4.1 ms" for one that must not be used. ok is false where there is none.
func duration(text string) (d time.Duration, ok bool) {
	text = strings.TrimLeft(text, "~*!")
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
