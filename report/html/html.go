// Package html tells results as one page: complete without JavaScript and network, in both themes and in print.
// The page holds its own data (gzip, base64), so that it can be read back. All text of others goes through
// html/template. Start reading at Write.
package html

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"wiregauge/report/story"
	"wiregauge/result"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

//go:embed script.js
var script string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"swatch": swatch,
	"series": seriesOf,
	"marked": marked,
	"first":  func(i int) bool { return i == 0 },
	"symbol": symbol,
	"lower":  strings.ToLower,
}).Parse(pageText))

// Options are how the page looks.
type Options struct {
	Theme string // "auto" (default), "light" or "dark"
	Title string
}

// A view is what the template is given.
type view struct {
	*story.Story
	Theme    string
	CSP      string
	Style    template.CSS
	Script   template.JS
	Data     template.JS
	Lead     []*figure // beside the first tables
	Summary  []story.Table
	Sections []section
	Again    string
}

// A section is one of the story with its drawings.
type section struct {
	story.Section
	Figures []*figure
}

// Write writes the page of s; json is the data that it holds.
func Write(w io.Writer, s *story.Story, files []*result.File, json []byte, opt Options) error {
	data, err := pack(json)
	if err != nil {
		return err
	}
	v := view{
		Story: s, Theme: theme(opt.Theme), CSP: policy(), Style: template.CSS(style), Script: template.JS(script),
		Data: template.JS(data), Lead: leadFigures(s, files),
	}
	v.arrange()
	var out bytes.Buffer
	if err := page.Execute(&out, v); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

func theme(name string) string {
	if name == "light" || name == "dark" {
		return name
	}
	return "auto"
}

// policy allows what is in the page and nothing else; the script by its hash.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:"
}

// pack is gzip, then base64: letters, digits, +, / and =, which cannot end a script element.
func pack(json []byte) (string, error) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(json); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(z.Bytes()), nil
}

// leadFigures are the drawings of the first screen, each with the table of the story that says the same.
func leadFigures(s *story.Story, files []*result.File) []*figure {
	curve := percentileCurve(s).with(tableOf(s, "latency"))
	switch {
	case len(files) == 1 && len(files[0].Verdicts) > 0:
		return present([]*figure{curve, pairedRatios(s, files[0]).with(tableOf(s, "verdicts"))})
	case len(s.Arms) == 1 && len(s.Arms[0].Steps) > 1:
		return present([]*figure{throughputSteps(s).with(tableOf(s, "steps")), curve})
	case len(s.Arms) == 1:
		return present([]*figure{curve, overTime(s)})
	case len(files) > 1:
		return present([]*figure{curve.with(tableOf(s, "summary"))})
	default:
		return present([]*figure{curve})
	}
}

// with gives a drawing its table; nil stays nil.
func (f *figure) with(t *story.Table) *figure {
	if f != nil {
		f.Table, f.Again = t, true
	}
	return f
}

// alone says that the table is nowhere else on the page.
func (f *figure) alone() *figure {
	if f != nil {
		f.Again = false
	}
	return f
}

// tableOf is the first table of a section, nil when there is none.
func tableOf(s *story.Story, id string) *story.Table {
	for i := range s.Sections {
		if s.Sections[i].ID == id && len(s.Sections[i].Tables) > 0 {
			return &s.Sections[i].Tables[0]
		}
	}
	return nil
}

func present(figs []*figure) []*figure {
	var there []*figure
	for _, f := range figs {
		if f != nil {
			there = append(there, f)
		}
	}
	return there
}

// arrange moves the summary to the first screen, puts drawings into their sections, and the command to the top.
func (v *view) arrange() {
	for _, sec := range v.Story.Sections {
		if sec.ID == "summary" {
			v.Summary = sec.Tables
			continue
		}
		if sec.ID == "setup" {
			for _, f := range sec.Facts {
				if f.Code {
					v.Again = f.Text
				}
			}
		}
		v.Sections = append(v.Sections, section{sec, v.figuresOf(sec.ID)})
	}
}

func (v *view) figuresOf(id string) []*figure {
	switch id {
	case "bytes":
		return present([]*figure{bytesPerCall(v.Story).with(tableOf(v.Story, "bytes")), cpuPerCall(v.Story).with(cpuTable(v.Story)).alone()})
	case "steps":
		return present([]*figure{latencySteps(v.Story).with(tableOf(v.Story, "steps"))})
	default:
		return nil
	}
}

// seriesOf is the series of a table's row, -1 for none.
func seriesOf(t story.Table, row int) int {
	if row >= len(t.Series) {
		return -1
	}
	return t.Series[row]
}

// marked names what is to know about a cell.
func marked(m story.Mark) string {
	return [...]string{"", "few", "needs", "partial"}[m]
}

// symbol stands before the word of a state.
func symbol(s story.State) string {
	return [...]string{"", "✓", "!", "✗", "?"}[s]
}
