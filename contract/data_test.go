package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSplitData(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{"one object", `{"id":1}`, []string{`{"id":1}`}},
		{"a list after a newline (K04)", "\n[{\"id\":1}]", []string{`{"id":1}`}},
		{"a list after a CRLF (K04)", "\r\n[{\"id\":1}]\r\n", []string{`{"id":1}`}},
		{"a byte order mark (K04)", "\xef\xbb\xbf{\"id\":1}", []string{`{"id":1}`}},
		{"a byte order mark, a CRLF and a list", "\xef\xbb\xbf\r\n[{\"id\":1}]", []string{`{"id":1}`}},
		{"several in a row", `{"a":1}{"a":2} {"a":3}`, []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}},
		{"one a line", "{\"a\":1}\n{\"a\":2}\r\n", []string{`{"a":1}`, `{"a":2}`}},
		{"a list of two", `[{"a":1}, {"a":2}]`, []string{`{"a":1}`, `{"a":2}`}},
		{"two lists in a row", `[1,2][3]`, []string{"1", "2", "3"}},
		{"a list of lists gives its elements", `[[1],[2]]`, []string{"[1]", "[2]"}},
		{"scalars in a row", `true "x" 1.50 null`, []string{"true", `"x"`, "1.50", "null"}},
		{"digits are kept", `{"id":1000000000000000089, "e":1e18}`, []string{`{"id":1000000000000000089, "e":1e18}`}},
		{"an empty list", ` [ ] `, nil},
		{"nothing", "", nil},
		{"white space only", " \r\n\t", nil},
		{"only a byte order mark", "\xef\xbb\xbf", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := SplitData([]byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i := range got {
				if string(got[i]) != c.want[i] {
					t.Errorf("message %d is %s, want %s", i, got[i], c.want[i])
				}
			}
		})
	}
}

func TestSplitDataSaysWhere(t *testing.T) {
	for _, c := range []struct {
		name, data   string
		line, column int
		text         string
	}{
		{"a stray letter", `{"id":x}`, 1, 7, "'x'"},
		{"on the second line", "{\"id\":1,\n  oops}", 2, 3, "'o'"},
		{"behind a byte order mark", "\xef\xbb\xbf{id}", 1, 2, "'i'"},
		{"in the second message", "{}\n{]", 2, 2, "']'"},
		{"in a list", "[{},\n {},,]", 2, 5, "','"},
		{"after letters of several bytes", `{"ä":x}`, 1, 6, "'x'"},
		{"cut off", `{"id":`, 1, 7, "ends too early"},
		{"a list cut off", `[{"id":1}`, 1, 10, "ends too early"},
		{"after a number in a list", "[1, 22x]", 1, 7, "comma"},
		{"no comma in a list", "[1 2]", 1, 4, "comma"},
		{"far into a list", "[{}, [1], \"a\" , x]", 1, 17, "'x'"},
		{"a stray bracket", `]`, 1, 1, "']'"},
		{"a comma between messages", `{},{}`, 1, 3, "','"},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1, "UTF-16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := SplitData([]byte(c.data))
			var e *DataError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a DataError", err)
			}
			if e.Line != c.line || e.Column != c.column || !strings.Contains(e.Text, c.text) {
				t.Errorf("got %v, want line %d, column %d and %s", err, c.line, c.column, c.text)
			}
		})
	}
}

// A message must come out as soon as its last byte has come in: the next may be long in coming.
func TestSplitterDoesNotReadAhead(t *testing.T) {
	r, w := io.Pipe()
	s := NewSplitter(r)
	for _, part := range []struct{ send, want string }{{`{"a":1}`, `{"a":1}`}, {"\n{\"a\":2}", `{"a":2}`}, {` [3,`, "3"}, {`4]`, "4"}} {
		go func() { _, _ = io.WriteString(w, part.send) }()
		got, err := s.Next()
		if err != nil || string(got) != part.want {
			t.Fatalf("after %q: %s (%v), want %s", part.send, got, err, part.want)
		}
	}
	_ = w.Close()
	if got, err := s.Next(); err != io.EOF {
		t.Errorf("at the end: %s (%v), want EOF", got, err)
	}
}

func FuzzSplitData(f *testing.F) {
	for _, s := range []string{`{"id":1}`, "\n[{\"id\":1}]", "\xef\xbb\xbf{}", `[1,2][3]`, `{} {}`, `[`, `]`, `nul`, "\xff\xfe"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := SplitData(raw)
		if err != nil {
			return
		}
		for _, m := range all {
			if !json.Valid(m) {
				t.Fatalf("message %q is no JSON", m)
			}
		}
		again, err := SplitData([]byte("[" + string(bytes.Join(raws(all), []byte(","))) + "]"))
		if err != nil || len(again) != len(all) {
			t.Fatalf("%d messages, as a list %d (%v)", len(all), len(again), err)
		}
		for i := range all {
			if !bytes.Equal(all[i], again[i]) {
				t.Errorf("message %d: %q, as a list %q", i, all[i], again[i])
			}
		}
	})
}

func raws(all []json.RawMessage) [][]byte {
	out := make([][]byte, len(all))
	for i, m := range all {
		out[i] = m
	}
	return out
}
