package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"wiregauge/report/story"
)

const columnGap = 2

// table writes a table indented by two. Where the width is short the least needed columns are left out, then words
// are cut, then the table goes on below itself; numbers are never wrapped, cut or lost.
func (t *text) table(table story.Table) {
	if table.Caption != "" {
		t.wrap("  ", table.Caption, faint)
	}
	shown := t.fit(table)
	for i, block := range t.blocks(table, shown) {
		if i > 0 {
			t.line("")
		}
		t.block(table, block)
	}
	for _, note := range table.Notes {
		t.wrap("  ", note, faint)
	}
	if left := len(table.Columns) - len(shown); left > 0 {
		t.wrap("  ", "Left out for want of width: "+strings.Join(missing(table, shown), ", ")+".", faint)
	}
}

// blocks splits columns into as many rows of columns as the width asks for, each led by the first column.
func (t *text) blocks(table story.Table, shown []int) [][]int {
	if len(shown) == 0 {
		return nil
	}
	block := shown[:1:1]
	var all [][]int
	for _, c := range shown[1:] {
		if more := append(block[:len(block):len(block)], c); total(table, more) <= t.width-2 || len(block) == 1 {
			block = more
			continue
		}
		all = append(all, block)
		block = []int{shown[0], c}
	}
	return append(all, block)
}

// block writes the given columns.
func (t *text) block(table story.Table, shown []int) {
	widths := columnWidths(table, shown)
	t.cutFlex(table, shown, widths)
	head := make([]string, len(shown))
	for i, c := range shown {
		head[i] = align(table.Columns[c], table.Columns[c].Name, widths[i])
	}
	t.line("  " + t.paint(faint, strings.TrimRight(strings.Join(head, "  "), " ")))
	for _, row := range table.Rows {
		cells := make([]string, len(shown))
		for i, c := range shown {
			cells[i] = t.paint(markStyle(row[c].Mark), align(table.Columns[c], t.cut(marked(row[c]), widths[i]), widths[i]))
		}
		t.line("  " + strings.Join(cells, "  "))
	}
}

// fit is the columns that the width allows, by leaving out the highest rank first.
func (t *text) fit(table story.Table) []int {
	shown := make([]int, len(table.Columns))
	for i := range shown {
		shown[i] = i
	}
	for total(table, shown) > t.width-2 {
		worst := slices.MaxFunc(shown, func(a, b int) int { return cmp.Compare(table.Columns[a].Rank, table.Columns[b].Rank) })
		if table.Columns[worst].Rank == 0 {
			break
		}
		shown = slices.DeleteFunc(shown, func(c int) bool { return c == worst })
	}
	return shown
}

// flexLeast is what a column of words is cut to before columns of numbers are left out.
const flexLeast = 24

func total(table story.Table, shown []int) int {
	sum := columnGap * (len(shown) - 1)
	for i, w := range columnWidths(table, shown) {
		if table.Columns[shown[i]].Flex {
			w = min(w, flexLeast)
		}
		sum += w
	}
	return sum
}

func columnWidths(table story.Table, shown []int) []int {
	widths := make([]int, len(shown))
	for i, c := range shown {
		widths[i] = utf8.RuneCountInString(table.Columns[c].Name)
		for _, row := range table.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(marked(row[c])))
		}
	}
	return widths
}

// cutFlex narrows columns of words to what is left.
func (t *text) cutFlex(table story.Table, shown, widths []int) {
	over := columnGap*(len(shown)-1) + 2 - t.width
	for _, w := range widths {
		over += w
	}
	for i, c := range shown {
		if over > 0 && table.Columns[c].Flex {
			narrowed := max(widths[i]-over, min(widths[i], flexLeast))
			over -= widths[i] - narrowed
			widths[i] = narrowed
		}
	}
}

func missing(table story.Table, shown []int) []string {
	var names []string
	for i, c := range table.Columns {
		if !slices.Contains(shown, i) {
			names = append(names, c.Name)
		}
	}
	return names
}

func align(c story.Column, s string, width int) string {
	if c.Text {
		return pad(s, width)
	}
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// marked is a cell with its mark before it, so that digits stay in line.
func marked(c story.Cell) string {
	switch c.Mark {
	case story.Few:
		return "~" + c.Text
	case story.Void:
		return "!" + c.Text
	case story.Partial:
		return "*" + c.Text
	default:
		return c.Text
	}
}

func markStyle(m story.Mark) style {
	if m == story.Few || m == story.Needs {
		return faint
	}
	return none
}

// cut shortens words to a width and says so.
func (t *text) cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	mark := t.say("…")
	return string([]rune(s)[:max(0, width-utf8.RuneCountInString(mark))]) + mark
}
