package visible

import (
	"encoding/json"
	"testing"
)

func TestShown(t *testing.T) {
	for _, c := range []struct{ name, in, text, line string }{
		{"plain text", "no luck: 3 < 4", "no luck: 3 < 4", "no luck: 3 < 4"},
		{"tabs and lines", "a\tb\n c", "a\tb\n c", "a b c"},
		{"lines of the network", "a\r\nb\r\n", "a\nb\n", "a b"},
		{"a carriage return that hides what is before it", "bad\rgood", `bad\rgood`, "bad good"},
		{"colours", "\x1b[31mred", `\x1b[31mred`, `\x1b[31mred`},
		{"the short form of an escape", "\u009b31m", `\u009b31m`, `\u009b31m`},
		{"nothing, and delete", "\x00\x7f\a", `\x00\x7f\a`, `\x00\x7f\a`},
		{"writing from the right", "a\u202eb\u2066c", `a\u202eb\u2066c`, `a\u202eb\u2066c`},
		{"bytes that are no text", "a\xffb", "a\uFFFDb", `a\ufffdb`},
		{"other scripts and signs", "größer 日本 ✓", "größer 日本 ✓", "größer 日本 ✓"},
		{"a space that does not break", "3\u00a0ms", "3\u00a0ms", "3 ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.text {
				t.Errorf("Text: %q, want %q", got, c.text)
			}
			if got := Line(c.in); got != c.line {
				t.Errorf("Line: %q, want %q", got, c.line)
			}
		})
	}
}

// What a terminal shows of JSON is the same JSON.
func TestJSONStaysWhatItIs(t *testing.T) {
	const in = "{\"a\u009b\": \"x\u202ey\x7f z 日本 \U0001F600\"}"
	const want = `{"a\u009b": "x\u202ey\u007f z 日本 😀"}`
	got := JSON([]byte(in))
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var before, after map[string]string
	if json.Unmarshal([]byte(in), &before) != nil || json.Unmarshal(got, &after) != nil || len(after) != 1 || after["a\u009b"] != before["a\u009b"] {
		t.Errorf("%q became %q", before, after)
	}
}
