// Package story decides what is said about results: the first sentence, the tables, the checks. Text, Markdown and
// HTML lay the same story out, so that they can never disagree. It measures nothing and judges nothing. Start
// reading at Of.
package story

import (
	"wiregauge/result"
)

// A Story is what is told of one result, or of several side by side.
type Story struct {
	Title    string
	Headline string // one sentence
	Struck   bool   // no winner may be named: the numbers are shown struck through
	Sub      []string
	Doubt    string // the one of Sub that says what must not be used; "" when all may be
	Fair     []Fact // whether it was fair and is trusted
	Meta     []Fact // run id, time, host
	Tiles    []Fact // the few numbers of a single run
	Arms     []*result.Arm
	Names    []string // of Arms, each its own
	Sections []Section
}

// A Section is one part of a report. Its tables come before its facts and lines.
type Section struct {
	ID, Title string
	Detail    bool // the terminal leaves it out; pages and Markdown show it
	Page      bool // only pages show it: it is too long for a terminal or a comment
	Tables    []Table
	Facts     []Fact
	Lines     []string
}

// A Fact is a name and what there is to say about it.
type Fact struct {
	Name, Text string
	State      State
	Advice     string // what to do about it
	Code       bool   // text to be copied as it stands
}

// State is how good a fact is.
type State uint8

// The states. Plain facts are not judged; Unknown could not be read.
const (
	Plain State = iota
	OK
	Note
	Bad
	Unknown
)

// String is the state as a word, so that nothing is said by colour alone.
func (s State) String() string { return [...]string{"", "ok", "note", "BAD", "unknown"}[s] }

// A Table is rows of cells under columns; every row has as many cells as there are columns. The first column
// names the row.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
	Series  []int // of each row, which of the story's arms it is about, -1 for none; nil: none
	Notes   []string
}

// A Column is one column of a table.
type Column struct {
	Name string
	Text bool // words, left-aligned; else numbers, right-aligned
	Flex bool // may be cut where width is short
	Rank int  // 0 is always shown; where width is short the highest rank is left out first
}

// A Cell is one value.
type Cell struct {
	Text string
	Mark Mark
}

// Mark is what to know about a cell's value.
type Mark uint8

// The marks. Few: fewer than 100 values lie beyond. Needs: not told, too few values. Partial: leaves out calls
// that would change it. Void: a check says that the number must not be used.
const (
	NoMark Mark = iota
	Few
	Needs
	Partial
	Void
)

// Options shape a story.
type Options struct {
	Percentiles []float64 // none: those of each result
	Title       string
	Between     []result.Verdict // of several results: what may be concluded between them, decided before
	Paths       []string         // of several results: the file of each, or none
}

// Of tells one result, or several side by side.
func Of(files []*result.File, opt Options) *Story {
	s := one(files, opt)
	if opt.Title != "" {
		s.Title = opt.Title
	}
	s.Map(Clean) // also names: a result may come from somebody else
	return s
}

func one(files []*result.File, opt Options) *Story {
	if len(files) > 1 {
		return several(files, opt)
	}
	f := files[0]
	if len(f.Arms) == 1 && f.Kind != "comparison" {
		return run(f, opt)
	}
	return comparison(f, opt)
}

func plain(text string) Cell { return Cell{Text: text} }

// has reports whether a table has rows; empty ones are not shown.
func (t Table) has() bool { return len(t.Rows) > 0 }

// add appends the section when it says anything.
func (s *Story) add(sec Section) {
	var tables []Table
	for _, t := range sec.Tables {
		if t.has() {
			tables = append(tables, t)
		}
	}
	sec.Tables = tables
	if len(sec.Tables)+len(sec.Facts)+len(sec.Lines) > 0 {
		s.Sections = append(s.Sections, sec)
	}
}

// Map replaces every text of the story by f of it.
func (s *Story) Map(f func(string) string) {
	s.Title, s.Headline = f(s.Title), f(s.Headline)
	mapAll(s.Sub, f)
	mapFacts(s.Meta, f)
	mapFacts(s.Fair, f)
	for i := range s.Sections {
		sec := &s.Sections[i]
		sec.Title = f(sec.Title)
		mapAll(sec.Lines, f)
		mapFacts(sec.Facts, f)
		for k := range sec.Tables {
			sec.Tables[k].mapTexts(f)
		}
	}
}

func (t *Table) mapTexts(f func(string) string) {
	t.Caption = f(t.Caption)
	mapAll(t.Notes, f)
	for i := range t.Columns {
		t.Columns[i].Name = f(t.Columns[i].Name)
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = f(row[i].Text)
		}
	}
}

func mapFacts(facts []Fact, f func(string) string) {
	for i := range facts {
		facts[i].Name, facts[i].Text, facts[i].Advice = f(facts[i].Name), f(facts[i].Text), f(facts[i].Advice)
	}
}

func mapAll(texts []string, f func(string) string) {
	for i := range texts {
		texts[i] = f(texts[i])
	}
}
