package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"wiregauge/report/internal/golden"
	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// parsed is a page with its elements by name.
type parsed struct {
	text     string
	elements map[string][]*html.Node
}

func parse(t *testing.T, page []byte) parsed {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	p := parsed{text: string(page), elements: map[string][]*html.Node{}}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			p.elements[n.Data] = append(p.elements[n.Data], n)
		}
	}
	return p
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(n *html.Node) string {
	var s strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			s.WriteString(c.Data)
		}
	}
	return s.String()
}

func TestPageIsWholeByItself(t *testing.T) {
	external := regexp.MustCompile(`(?i)(src|href|action|data|poster)\s*=\s*["']?(https?:|//)|[:\s]url\(|@import`)
	for _, c := range cases {
		p := parse(t, render(t, "html", c.files(), Options{}))
		if found := external.FindString(p.text); found != "" {
			t.Errorf("%s: the page asks for %q", c.name, found)
		}
		for _, name := range []string{"link", "iframe", "img", "object", "embed", "base", "form"} {
			if len(p.elements[name]) > 0 {
				t.Errorf("%s: the page has a <%s>", c.name, name)
			}
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	f := sample.Half()
	f.Title, f.Arms[0].Name, f.Arms[0].URL = sample.HostileText, sample.HostileText, "javascript:alert(1)"
	f.Notes = []string{sample.HostileText}
	f.Labels = map[string]string{sample.HostileText: sample.HostileText}
	f.Command = []string{"wiregauge", sample.HostileText}
	f.Arms[0].Statuses[0].Name = sample.HostileText
	f.Arms[0].Connections.TLS = sample.HostileText
	cmp := sample.Comparison()
	for i := range cmp.Arms {
		cmp.Arms[i].Name += sample.HostileText
	}
	for i := range cmp.Verdicts {
		cmp.Verdicts[i].A += sample.HostileText
		cmp.Verdicts[i].B += sample.HostileText
	}
	for name, file := range map[string]*result.File{"run": f, "comparison": cmp} {
		p := parse(t, render(t, "html", []*result.File{file}, Options{Title: sample.HostileText, Theme: `"><script>`}))
		if n := len(p.elements["script"]); n != 2 {
			t.Errorf("%s: %d scripts, want the data and our own", name, n)
		}
		for tag, nodes := range p.elements {
			for _, n := range nodes {
				for _, a := range n.Attr {
					if strings.HasPrefix(strings.ToLower(a.Key), "on") || strings.Contains(a.Val, "javascript:") && a.Key == "href" {
						t.Errorf("%s: <%s %s=%q>", name, tag, a.Key, a.Val)
					}
				}
			}
		}
		want := map[string]int{"run": 4, "comparison": 5}[name] // run id, time, host, trust; fair test
		if n := len(p.elements["b"]); n != want {
			t.Errorf("%s: %d <b> elements, want %d", name, n, want)
		}
		if !strings.Contains(content(p.elements["body"][0]), "<img src=x onerror=alert(2)>") {
			t.Errorf("%s: the hostile text is not shown as text", name)
		}
	}
}

func TestPolicyAllowsExactlyOurScript(t *testing.T) {
	p := parse(t, render(t, "html", []*result.File{sample.Met()}, Options{}))
	var csp string
	for _, m := range p.elements["meta"] {
		if attr(m, "http-equiv") == "Content-Security-Policy" {
			csp = attr(m, "content")
		}
	}
	own := p.elements["script"][1]
	sum := sha256.Sum256([]byte(content(own)))
	want := "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:"
	if csp != want {
		t.Errorf("policy\n%s, want\n%s", csp, want)
	}
}

func TestPageIsAccessible(t *testing.T) {
	for _, c := range cases {
		p := parse(t, render(t, "html", c.files(), Options{}))
		if n := len(p.elements["h1"]); n != 1 {
			t.Errorf("%s: %d h1, want one", c.name, n)
		}
		if attr(p.elements["html"][0], "lang") != "en" || len(p.elements["title"]) == 0 || len(p.elements["main"]) != 1 {
			t.Errorf("%s: language, title or main is missing", c.name)
		}
		if first := p.elements["a"][0]; attr(first, "href") != "#main" {
			t.Errorf("%s: the first link is not the skip link", c.name)
		}
		for _, th := range p.elements["th"] {
			if s := attr(th, "scope"); s != "col" && s != "row" {
				t.Errorf("%s: a th without scope: %q", c.name, content(th))
			}
		}
		ids := map[string]bool{}
		for _, nodes := range p.elements {
			for _, n := range nodes {
				if id := attr(n, "id"); id != "" && ids[id] {
					t.Errorf("%s: id %q twice", c.name, id)
				} else if id != "" {
					ids[id] = true
				}
			}
		}
		checkFigures(t, c.name, p, ids)
		for _, a := range p.elements["a"] {
			if target, in := strings.CutPrefix(attr(a, "href"), "#"); in && !ids[target] {
				t.Errorf("%s: a link to #%s, which is not there", c.name, target)
			}
		}
	}
}

// checkFigures wants a name, a description and a table with every drawing.
func checkFigures(t *testing.T, name string, p parsed, ids map[string]bool) {
	t.Helper()
	for _, fig := range p.elements["figure"] {
		var image, table, desc bool
		for n := range fig.Descendants() {
			switch {
			case n.Type != html.ElementNode:
			case n.Data == "svg" && attr(n, "role") == "img":
				image = true
				for _, id := range strings.Fields(attr(n, "aria-labelledby")) {
					image = image && ids[id]
				}
			case n.Data == "table":
				table = true
			case n.Data == "desc":
				desc = len(content(n)) > 20
			}
		}
		if !image || !table || !desc {
			t.Errorf("%s: figure %s: named image %v, table %v, description %v", name, attr(fig, "id"), image, table, desc)
		}
	}
}

func TestPageHoldsItsDataAndReadsBack(t *testing.T) {
	for _, c := range cases {
		files := c.files()
		page := render(t, "html", files, Options{})
		back, err := result.ReadAll(bytes.NewReader(page))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := range files {
			want, _ := files[i].JSON()
			got, _ := back[i].JSON()
			if !bytes.Equal(got, want) {
				t.Errorf("%s: result %d changed on its way through the page", c.name, i)
			}
		}
		if again := render(t, "html", back, Options{}); !bytes.Equal(again, page) {
			t.Errorf("%s: the page of what was read back differs", c.name)
		}
	}
}

func TestPageStaysSmall(t *testing.T) {
	const budget = 600_000
	page := render(t, "html", []*result.File{sample.Large()}, Options{})
	if len(page) > budget {
		t.Errorf("six arms over ten launches take %d bytes, want at most %d", len(page), budget)
	}
	t.Logf("six arms, ten launches, 2,400 turns: %d bytes", len(page))
}

func TestThemes(t *testing.T) {
	for theme, want := range map[string]string{"": "auto", "auto": "auto", "light": "light", "dark": "dark", "pink": "auto"} {
		p := parse(t, render(t, "html", []*result.File{sample.Met()}, Options{Theme: theme}))
		if got := attr(p.elements["html"][0], "data-theme"); got != want {
			t.Errorf("theme %q gives %q, want %q", theme, got, want)
		}
	}
}

func TestChartsAppearWhereTheirDataIs(t *testing.T) {
	for name, want := range map[string][]string{
		"open-loop-met":               {"fig-curve", "fig-time", "fig-phases", "fig-bytes-chart", "fig-cpu-chart", "fig-errors-chart"},
		"failures-in-a-burst":         {"fig-curve", "fig-time", "fig-phases", "fig-warm", "fig-bytes-chart", "fig-cpu-chart", "fig-errors-chart"},
		"not-trustworthy":             {"fig-curve", "fig-phases", "fig-bytes-chart", "fig-cpu-chart"},
		"ramp-of-concurrency":         {"fig-steps-chart", "fig-latency-steps", "fig-curve", "fig-bytes-chart", "fig-cpu-chart"},
		"capacity":                    {"fig-probes", "fig-curve", "fig-time", "fig-phases", "fig-bytes-chart", "fig-cpu-chart"},
		"comparison":                  {"fig-curve", "fig-ratios", "fig-time", "fig-bytes-chart", "fig-cpu-chart"},
		"comparison-with-noise-floor": {"fig-curve", "fig-ratios", "fig-time", "fig-warm", "fig-bytes-chart", "fig-cpu-chart"},
		"sweep-of-concurrency":        {"fig-throughput-sweep", "fig-latency-sweep", "fig-all-ratios", "fig-curve", "fig-time", "fig-bytes-chart", "fig-cpu-chart"},
		"sweep-of-rates":              {"fig-latency-sweep", "fig-throughput-sweep", "fig-all-ratios", "fig-curve", "fig-time", "fig-bytes-chart", "fig-cpu-chart"},
		"sweep-of-one-target":         {"fig-throughput-sweep", "fig-latency-sweep", "fig-curve", "fig-bytes-chart", "fig-cpu-chart"},
		"nothing-was-due":             nil,
		"two-saved-results":           {"fig-curve", "fig-bytes-chart", "fig-cpu-chart", "fig-errors-chart"},
	} {
		for _, c := range cases {
			if c.name != name {
				continue
			}
			p := parse(t, render(t, "html", c.files(), Options{}))
			var got []string
			for _, fig := range p.elements["figure"] {
				got = append(got, attr(fig, "id"))
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: figures %v, want %v", name, got, want)
			}
		}
	}
}

func TestGoldenPage(t *testing.T) {
	for _, c := range cases {
		page := string(render(t, "html", c.files(), Options{}))
		for _, block := range []string{"style>", "script>", "id=\"wiregauge-data\" data-encoding=\"gzip+base64\">"} {
			page = withoutBlock(page, block)
		}
		page = shapes.ReplaceAllString(page, "")
		golden.Check(t, c.name+".html", []byte(page))
	}
}

// shapes are what a drawing consists of beside its words: golden files hold the words.
var shapes = regexp.MustCompile(`<(path|line|rect|circle)\b[^>]*(/>|><title>[^<]*</title></(path|rect|circle)>)`)

// A run or comparison whose numbers must not be used strikes exactly these through; a ratio that holds is not.
func TestNumbersThatMustNotBeUsedAreStruckThrough(t *testing.T) {
	tail := sample.Met()
	tail.Trust = result.Trust{Level: result.TrustNotTrustworthy, Absolute: result.TrustNotTrustworthy, Ratio: result.TrustOK, Reasons: []result.Reason{
		{Code: "V6", Name: "tail", Level: result.TrustNotTrustworthy, Measured: "late sends", Affects: "p99"}}}
	for _, c := range []struct {
		name           string
		file           *result.File
		struck, spared []string
	}{
		{"every number of a run", sample.NotTrusted(), []string{"14,200 calls/s", "40.0 ms"}, []string{"239"}},
		{"one percentile", tail, []string{"4.76 ms"}, []string{"1.90 ms", "2,000 calls/s"}},
		{"the absolute numbers of a comparison", sample.AbsoluteVoid(), []string{"9,800", "1.50 ms"}, []string{"2.2x faster, MEDIUM"}},
		{"a comparison that was not fair", sample.NotFair(), []string{"9,800", "1.50 ms"}, []string{"no winner named"}},
		{"a comparison that is trusted", sample.Demanding(), nil, []string{"9,800", "1.50 ms"}},
	} {
		p := parse(t, render(t, "html", []*result.File{c.file}, Options{}))
		var struck, all []string
		for _, s := range p.elements["s"] {
			struck = append(struck, content(s))
		}
		for _, name := range []string{"td", "dd"} {
			for _, n := range p.elements[name] {
				all = append(all, content(n))
			}
		}
		for _, want := range c.struck {
			if !slices.Contains(struck, want) {
				t.Errorf("%s: %q is not struck through; %q are", c.name, want, struck)
			}
		}
		for _, want := range c.spared {
			if slices.Contains(struck, want) || !slices.Contains(all, want) {
				t.Errorf("%s: %q is struck through or missing", c.name, want)
			}
		}
	}
}

// A rendering of the largest comparison that is budgeted for.
func BenchmarkPage(b *testing.B) {
	f := sample.Large()
	var size int
	for b.Loop() {
		var out bytes.Buffer
		if err := Write("html", &out, []*result.File{f}, Options{}); err != nil {
			b.Fatal(err)
		}
		size = out.Len()
	}
	b.ReportMetric(float64(size), "bytes/page")
}

// withoutBlock empties the element whose opening tag ends like that: its text is tested elsewhere.
func withoutBlock(page, open string) string {
	before, rest, found := strings.Cut(page, open)
	_, after, closed := strings.Cut(rest, "</")
	if !found || !closed {
		return page
	}
	return before + open + "…</" + after
}
