package suite

import (
	"encoding/json"
	"strings"

	"wiregauge/internal/option"
)

// optionValues turns YAML into what the option's flag would be given: a list repeats it, or is joined by commas; a
// mapping becomes one "K: V" or "K=V" per entry, or JSON where the option takes JSON.
func (r *reader) optionValues(o *option.Option, n *node) []string {
	switch {
	case n.kind == scalar && n.null:
		r.fault(n.line, n.column, "%s has no value", o.Name)
		return nil
	case n.kind == scalar:
		return []string{r.expand(n)}
	case takesJSON(o):
		return []string{r.json(n)}
	case n.kind == mapping:
		between := "="
		if o.Name == "header" {
			between = ": "
		}
		return r.values(n, between)
	}
	values := r.values(n, "=")
	if !o.Repeats() {
		return []string{strings.Join(values, ",")}
	}
	return values
}

// takesJSON are the options whose mappings and lists mean JSON.
func takesJSON(o *option.Option) bool { return o.Name == "data" || o.Name == "metadata" }

// values are the scalars of a list, the entries of a mapping, or the one scalar.
func (r *reader) values(n *node, between string) []string {
	var out []string
	switch n.kind {
	case scalar:
		return []string{r.expand(n)}
	case list:
		for _, item := range n.items {
			if item.kind != scalar {
				r.fault(item.line, item.column, "expected a plain value; text that holds \": \" goes into quotes")
				continue
			}
			out = append(out, r.expand(item))
		}
	case mapping:
		for _, p := range n.pairs {
			if p.value.kind != scalar {
				r.fault(p.value.line, p.value.column, "expected a plain value")
				continue
			}
			out = append(out, p.key.text+between+r.expand(p.value))
		}
	}
	return out
}

// words is a command: one text, or a list of words.
func (r *reader) words(n *node, key string) []string {
	if n.kind == mapping || n.null {
		r.fault(n.line, n.column, "%s is a command line or a list of words", key)
		return nil
	}
	return r.values(n, "")
}

// word is one plain value.
func (r *reader) word(n *node, key string) string {
	if n.kind != scalar || n.null {
		r.fault(n.line, n.column, "%s wants one plain value", key)
		return ""
	}
	return r.expand(n)
}

// expand replaces ${NAME}; $${ is a literal ${.
func (r *reader) expand(n *node) string {
	var b strings.Builder
	rest := n.text
	for {
		at := strings.Index(rest, "${")
		if at < 0 {
			return b.String() + rest
		}
		if at > 0 && rest[at-1] == '$' {
			b.WriteString(rest[:at-1] + "${")
			rest = rest[at+2:]
			continue
		}
		end := strings.IndexByte(rest[at:], '}')
		if end < 0 {
			r.fault(n.line, n.column, "${ without }; a literal ${ is written $${")
			return n.text
		}
		name := rest[at+2 : at+end]
		value, ok := r.lookup(name)
		if !ok {
			r.fault(n.line, n.column, "no value for ${%s}: give --env %s=… or set it in the environment", name, name)
		}
		b.WriteString(rest[:at] + value)
		rest = rest[at+end+1:]
	}
}

// json writes a node as JSON; numbers stay as they were written, so that 64-bit integers are exact.
func (r *reader) json(n *node) string {
	var b strings.Builder
	r.writeJSON(&b, n)
	return b.String()
}

func (r *reader) writeJSON(b *strings.Builder, n *node) {
	switch n.kind {
	case list:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			r.writeJSON(b, item)
		}
		b.WriteByte(']')
	case mapping:
		b.WriteByte('{')
		for i, p := range n.pairs {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(p.key.text) + ":")
			r.writeJSON(b, p.value)
		}
		b.WriteByte('}')
	default:
		b.WriteString(r.jsonScalar(n))
	}
}

func (r *reader) jsonScalar(n *node) string {
	if n.null {
		return "null"
	}
	text := r.expand(n)
	if n.bare && json.Valid([]byte(text)) {
		return text
	}
	return quoted(text)
}

func quoted(s string) string {
	q, _ := json.Marshal(s) // a string never fails
	return string(q)
}
