package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"reflect"
	"regexp"
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
		if len(p.elements["b"]) != 3 { // run id, time and host
			t.Errorf("%s: %d <b> elements, want 3", name, len(p.elements["b"]))
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
		"open-loop-met":       {"fig-curve", "fig-time", "fig-bytes-chart", "fig-cpu-chart"},
		"ramp-of-concurrency": {"fig-steps-chart", "fig-curve", "fig-latency-steps", "fig-bytes-chart", "fig-cpu-chart"},
		"comparison":          {"fig-curve", "fig-ratios", "fig-bytes-chart", "fig-cpu-chart"},
		"nothing-was-due":     nil,
		"two-saved-results":   {"fig-curve", "fig-bytes-chart", "fig-cpu-chart"},
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
		golden.Check(t, c.name+".html", []byte(page))
	}
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
