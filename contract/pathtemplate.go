package contract

import (
	"fmt"
	"strings"
)

// A pathTemplate is the path of a google.api.http annotation:
//
//	Template = "/" Segments [ ":" LITERAL ]     Segments = Segment { "/" Segment }
//	Segment  = "*" | "**" | LITERAL | "{" FieldPath [ "=" Segments ] "}"
type pathTemplate struct {
	parts []pathPart
}

// A pathPart is literal text, or a variable with the pattern that its value must match.
type pathPart struct {
	text    string
	field   string
	pattern []string // segments; "*" when the template names none
}

// parseTemplate reads a template. A wildcard outside a variable can be filled with nothing and is refused.
func parseTemplate(s string) (*pathTemplate, error) {
	if !strings.HasPrefix(s, "/") {
		return nil, fmt.Errorf("path template %q does not begin with /", s)
	}
	t := new(pathTemplate)
	rest := s
	for rest != "" {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			open = len(rest)
		}
		if literal := rest[:open]; literal != "" {
			if strings.ContainsAny(literal, "*}") {
				return nil, fmt.Errorf("path template %q: %q outside a variable", s, literal)
			}
			t.parts = append(t.parts, pathPart{text: literal})
		}
		if rest = rest[open:]; rest == "" {
			break
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return nil, fmt.Errorf("path template %q: a { without }", s)
		}
		field, pattern, given := strings.Cut(rest[1:end], "=")
		if !given {
			pattern = "*"
		}
		if field == "" || pattern == "" {
			return nil, fmt.Errorf("path template %q: empty variable", s)
		}
		t.parts = append(t.parts, pathPart{field: field, pattern: strings.Split(pattern, "/")})
		rest = rest[end+1:]
	}
	return t, nil
}

// variables lists the field paths of the template.
func (t *pathTemplate) variables() []string {
	var names []string
	for _, p := range t.parts {
		if p.field != "" {
			names = append(names, p.field)
		}
	}
	return names
}

// fill writes the path with the values of its variables, percent-encoded: within one segment everything but
// unreserved characters, within several also not the slash.
func (t *pathTemplate) fill(value func(field string) (string, error)) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.field == "" {
			b.WriteString(p.text)
			continue
		}
		v, err := value(p.field)
		if err != nil {
			return "", err
		}
		if !p.matches(v) {
			return "", fmt.Errorf("the field %q is %q, the path wants %s", p.field, v, strings.Join(p.pattern, "/"))
		}
		escape(&b, v, p.single())
	}
	return b.String(), nil
}

// single reports whether the variable is one segment, whatever it holds.
func (p *pathPart) single() bool { return len(p.pattern) == 1 && p.pattern[0] == "*" }

func (p *pathPart) matches(v string) bool {
	return p.single() || matchSegments(p.pattern, strings.Split(v, "/"))
}

// matchSegments compares segment by segment; "*" is one of any text, "**" any number, also none.
func matchSegments(pattern, value []string) bool {
	for i, want := range pattern {
		if want == "**" {
			return true // it is the last by the grammar
		}
		if i >= len(value) || value[i] == "" || (want != "*" && want != value[i]) {
			return false
		}
	}
	return len(pattern) == len(value)
}

const upperHex = "0123456789ABCDEF"

// escape writes v percent-encoded (RFC 3986, section 2.3: unreserved characters stay).
func escape(b *strings.Builder, v string, slash bool) {
	for i := range len(v) {
		c := v[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~", c) >= 0,
			c == '/' && !slash:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		}
	}
}
