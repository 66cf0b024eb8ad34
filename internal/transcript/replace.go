package transcript

import (
	"slices"
	"strings"
)

// replace is what a page should show where its words are no longer those that are printed: lines that are still
// the same hold the rest in place, and between them as many new lines stand before and after a gap as did before.
func replace(page, got string) string {
	want, have := strings.Split(page, "\n"), strings.Split(strings.TrimRight(got, "\n"), "\n")
	if strings.TrimSpace(page) == "" {
		want = nil
	}
	if got == "" {
		have = nil
	}
	var out []string
	w, h := 0, 0
	for _, pair := range common(want, have) {
		out = append(out, between(want[w:pair[0]], have[h:pair[1]])...)
		out = append(out, have[pair[1]])
		w, h = pair[0]+1, pair[1]+1
	}
	return strings.Join(append(out, between(want[w:], have[h:])...), "\n")
}

// between replaces lines of a page that have no equal among those that were printed.
func between(want, have []string) []string {
	first := slices.IndexFunc(want, isGap)
	if first < 0 {
		return have
	}
	slices.Reverse(want)
	behind := slices.IndexFunc(want, isGap)
	slices.Reverse(want)
	if first+behind >= len(have) {
		return have
	}
	out := append(slices.Clone(have[:first]), gap)
	return append(out, have[len(have)-behind:]...)
}

func isGap(line string) bool { return strings.TrimSpace(line) == gap }

// common finds the longest run of lines that stand in both in the same order, as pairs of their numbers.
func common(want, have []string) [][2]int {
	length := make([][]int, len(want)+1)
	for i := range length {
		length[i] = make([]int, len(have)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(have) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if same(want[i], have[j]) {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(want) && j < len(have); {
		switch {
		case same(want[i], have[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// same says whether two lines have the same words; empty lines are not held on to.
func same(a, b string) bool {
	x, y := words(a), words(b)
	return len(x) > 0 && slices.EqualFunc(x, y, func(v, w word) bool { return v.text == w.text })
}
