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
	"swatch":    swatch,
	"series":    seriesOf,
	"cellClass": cellClass,
	"isVoid":    func(c story.Cell) bool { return c.Mark == story.Void },
	"first":     func(i int) bool { return i == 0 },
	"symbol":    symbol,
	"lower":     strings.ToLower,
	"glossary":  glossary,
	"note":      note,
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
	First    []string // below the first sentence; what does not fit on the first screen is in More
	More     []string
	Lead     []*figure // beside the first tables
	Summary  []story.Table
	Sections []section
	Again    string // the command that measured this
	FairLink string // the section that the short facts are the sum of
}

// firstLines is how many lines stand below the first sentence.
const firstLines = 7

// Write writes the page of s; json is the data that it holds.
func Write(w io.Writer, s *story.Story, files []*result.File, json []byte, opt Options) error {
	data, err := pack(json)
	if err != nil {
		return err
	}
	l := &layout{s: s, files: files, placed: map[string]bool{}}
	v := view{
		Story: s, Theme: theme(opt.Theme), CSP: policy(), Style: template.CSS(style), Script: template.JS(script),
		Data: template.JS(data), Lead: l.lead(), Sections: l.sections(),
	}
	v.First, v.More = s.Sub[:min(len(s.Sub), firstLines)], s.Sub[min(len(s.Sub), firstLines):]
	v.pick()
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

// pick finds the summary, the command and the checks among the sections.
func (v *view) pick() {
	for _, sec := range v.Story.Sections {
		if sec.ID == "summary" {
			v.Summary = sec.Tables
		}
		if sec.ID == "checks" {
			v.FairLink = sec.ID
		}
		for _, f := range sec.Facts {
			if sec.ID == "setup" && f.Code {
				v.Again = f.Text
			}
		}
	}
}

// seriesOf is the series of a table's row, -1 for none.
func seriesOf(t story.Table, row int) int {
	if row >= len(t.Series) {
		return -1
	}
	return t.Series[row]
}

// note is a table's note; the mark that it explains is a line through the number here.
func note(text string) string {
	if rest, marked := strings.CutPrefix(text, "! "); marked {
		return "Struck through: " + rest
	}
	return text
}

// cellClass is how a cell looks: words, and what is to know about its number.
func cellClass(col story.Column, c story.Cell) string {
	mark := [...]string{"", "few", "needs", "partial", "void"}[c.Mark]
	if col.Text {
		return strings.TrimSpace("text " + mark)
	}
	return mark
}

// symbol stands before the word of a state.
func symbol(s story.State) string {
	return [...]string{"", "✓", "!", "✗", "?"}[s]
}
