package nearest

import "testing"

func TestOf(t *testing.T) {
	known := []string{"sku", "warehouse", "concurrency", "grpc", "grpcs", "http"}
	for _, c := range []struct{ name, word, want string }{
		{"one letter too many", "skuu", "sku"},
		{"two letters swapped", "concurerncy", "concurrency"},
		{"a letter missing", "concurency", "concurrency"},
		{"the exact word in capitals", "HTTP", "http"},
		{"nothing alike", "elephant", ""},
		{"the closer of two", "grcps", "grpcs"},
		{"an empty word", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Of(c.word, known); got != c.want {
				t.Errorf("Of(%q) = %q, want %q", c.word, got, c.want)
			}
		})
	}
}
