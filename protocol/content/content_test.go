package content

import (
	"errors"
	"strings"
	"testing"
)

func TestInflate(t *testing.T) {
	packed := Gzip([][]byte{[]byte(strings.Repeat("x", 1000)), nil})
	for _, row := range []struct {
		name  string
		in    []byte
		limit int
		size  int
		err   string
	}{
		{"within the limit", packed[0], 1000, 1000, ""},
		{"without a limit of its own", packed[0], 0, 1000, ""},
		{"an empty body", packed[1], 10, 0, ""},
		{"one byte beyond the limit", packed[0], 999, 0, "larger than allowed"},
		{"no gzip", []byte("plain text"), 100, 0, "not the gzip it is said to be"},
		{"cut short", packed[0][:len(packed[0])-4], 1000, 0, "not the gzip it is said to be"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := Inflate(row.in, row.limit)
			if row.err == "" && (err != nil || len(out) != row.size) {
				t.Fatalf("%d bytes, %v", len(out), err)
			}
			if row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
				t.Fatalf("%v, want %q", err, row.err)
			}
			if errors.Is(err, ErrTooLarge) != strings.Contains(row.err, "larger") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestText(t *testing.T) {
	packed := Gzip([][]byte{[]byte(strings.Repeat("why ", 1000))})[0]
	for _, row := range []struct {
		name       string
		in         []byte
		compressed bool
		want       string
	}{
		{"plain", []byte("nothing here"), false, "nothing here"},
		{"only the beginning", []byte(strings.Repeat("e", 3*TextSize)), false, strings.Repeat("e", TextSize)},
		{"bytes that are no text", []byte("a\xffb"), false, "a\uFFFDb"},
		{"compressed", packed, true, strings.Repeat("why ", TextSize/4)},
		{"said to be compressed, and not", []byte("plain"), true, "plain"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Text(row.in, row.compressed); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
