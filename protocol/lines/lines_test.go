package lines

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

// split cuts body into pieces of at most n bytes and returns the messages.
func split(t testing.TB, events, keep bool, limit, n int, body string) (messages []string, err error) {
	t.Helper()
	var s Splitter
	s.Reset(events, keep, limit)
	note := func(m []byte) {
		if !keep && m != nil {
			t.Fatalf("message %q of a body that is only counted", m)
		}
		messages = append(messages, string(m))
	}
	for at := 0; at < len(body); at += n {
		p := []byte(body[at:min(at+n, len(body))])
		for {
			m, rest, ok, err := s.Next(p)
			if err != nil {
				return messages, err
			}
			if !ok {
				break
			}
			note(m)
			p = rest
		}
		for i := range p { // what Next was given is the caller's again
			p[i] = '#'
		}
	}
	for {
		m, ok, err := s.End()
		if !ok || err != nil {
			return messages, err
		}
		note(m)
	}
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events bool
		body   string
		want   []string
	}{
		{"a line each", false, "{\"a\":1}\n{\"a\":2}\n", []string{`{"a":1}`, `{"a":2}`}},
		{"CR LF", false, "a\r\nb\r\n", []string{"a", "b"}},
		{"blank lines are none", false, "\n\na\n \t\r\n\nb\n\n", []string{"a", "b"}},
		{"white space around", false, "  a b \t\n", []string{"a b"}},
		{"without a line end at the end", false, "a\nb", []string{"a", "b"}},
		{"blanks at the end", false, "a\n   ", []string{"a"}},
		{"a CR inside", false, "a\rb\n", []string{"a\rb"}},
		{"nothing", false, "", nil},
		{"events", true, "data: one\n\ndata: two\n\n", []string{"one", "two"}},
		{"no space behind the colon, or two", true, "data:one\n\ndata:  two\n\n", []string{"one", " two"}},
		{"several data lines are one event", true, "data: {\ndata: }\n\n", []string{"{\n}"}},
		{"other fields and comments", true, ": hello\nid: 1\nevent: x\ndata: a\nretry: 10\ndatabase: no\n\n", []string{"a"}},
		{"events without data", true, "id: 1\n\n: ping\n\n\ndata: a\n\n", []string{"a"}},
		{"data that is empty", true, "data\n\ndata:\n\ndata: \n\n", []string{"", "", ""}},
		{"CR LF in events", true, "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"a\nb", "c"}},
		{"CR alone", true, "data: a\rdata: b\r\rdata: c\r\r", []string{"a\nb", "c"}},
		{"a byte order mark", true, "\xef\xbb\xbfdata: a\n\n", []string{"a"}},
		{"an event that the end cuts", true, "data: a\n\ndata: b", []string{"a", "b"}},
		{"an event without its blank line", true, "data: a\n\ndata: b\n", []string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for n := 1; n <= len(tt.body)+1; n++ {
				got, err := split(t, tt.events, true, 0, n, tt.body)
				if err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("in pieces of %d: %q (%v), expected %q", n, got, err, tt.want)
				}
				counted, err := split(t, tt.events, false, 0, n, tt.body)
				if err != nil || len(counted) != len(tt.want) {
					t.Errorf("in pieces of %d: counted %d (%v), expected %d", n, len(counted), err, len(tt.want))
				}
			}
		})
	}
}

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events bool
		body   string
		good   int // messages before the one that is too large
		large  bool
	}{
		{"at the limit", false, "12345678\r\n", 1, false},
		{"beyond it", false, "1\n123456789\n", 1, true},
		{"beyond it, the end never comes", false, strings.Repeat("x", 100), 0, true},
		{"white space does not count", false, strings.Repeat(" ", 100) + "12345678" + strings.Repeat(" ", 100) + "\n", 1, false},
		{"an event at the limit", true, "data: 12345678\n\n", 1, false},
		{"an event beyond it", true, "data: 1\n\ndata: 123456789\n\n", 1, true},
		{"an event of many lines", true, strings.Repeat("data: 12\n", 4) + "\n", 0, true},
		{"a comment without an end", true, ":" + strings.Repeat("x", 100), 0, true},
	} {
		for _, keep := range []bool{true, false} {
			for n := 1; n <= len(tt.body); n++ {
				got, err := split(t, tt.events, keep, 8, n, tt.body)
				if errors.Is(err, ErrTooLarge) != tt.large || len(got) != tt.good {
					t.Errorf("%s, kept %v, in pieces of %d: %q, %v", tt.name, keep, n, got, err)
				}
			}
		}
	}
}

// Neither a body that is counted nor, once the buffers have grown, one that is kept costs memory.
func TestAllocations(t *testing.T) {
	for _, events := range []bool{false, true} {
		for _, keep := range []bool{false, true} {
			var s Splitter
			body := []byte(strings.Repeat("data: {\"payload\":\"eHh4eHh4\"}\n\n", 20))
			n := 0
			read := func() {
				s.Reset(events, keep, 1<<20)
				for p := body; len(p) > 0; { // in pieces that cut lines
					piece := p[:min(len(p), 17)]
					p = p[len(piece):]
					for {
						_, rest, ok, _ := s.Next(piece)
						if !ok {
							break
						}
						piece = rest
						n++
					}
				}
			}
			if got := testing.AllocsPerRun(100, read); got != 0 {
				t.Errorf("events %v, kept %v: %v allocations", events, keep, got)
			}
			if n != 102*20 && n != 101*20 {
				t.Errorf("events %v, kept %v: %d messages", events, keep, n)
			}
		}
	}
}

func TestFree(t *testing.T) {
	var s Splitter
	s.Reset(false, true, 0)
	s.Next(bytes.Repeat([]byte("x"), 1000))
	if s.Free(4000); cap(s.line) < 1000 {
		t.Error("a buffer within the bound is gone")
	}
	if s.Free(100); s.line != nil {
		t.Error("a buffer beyond the bound is still there")
	}
}

// FuzzSplit: however a body is cut, the messages are the same, and they are counted alike.
func FuzzSplit(f *testing.F) {
	f.Add(true, 3, "data: a\r\n\r\ndata: b\n\n:x\n\n")
	f.Add(false, 2, "{}\n\n {} \r\n{}")
	f.Fuzz(func(t *testing.T, events bool, n int, body string) {
		n = max(1, n%64)
		whole, _ := split(t, events, true, 0, len(body)+1, body)
		cut, _ := split(t, events, true, 0, n, body)
		counted, _ := split(t, events, false, 0, n, body)
		if !slices.Equal(whole, cut) || len(counted) != len(whole) {
			t.Errorf("%q in pieces of %d: %q and %d, whole %q", body, n, cut, len(counted), whole)
		}
		if !events {
			for _, m := range whole {
				if m == "" || strings.Trim(m, space) != m {
					t.Errorf("message %q", m)
				}
			}
		}
	})
}
