package suite

import (
	"errors"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

type kind uint8

const (
	scalar kind = iota
	list
	mapping
)

// A node is a piece of YAML with its place: a scalar as it was written, a list, or a mapping.
type node struct {
	kind         kind
	text         string
	bare         bool // a number, true, false or null, written without quotes
	null         bool
	items        []*node // of a list
	pairs        []pair  // of a mapping
	line, column int
}

type pair struct{ key, value *node }

// maxNodes bounds what aliases can blow a small file up to.
const maxNodes = 100_000

// A builder turns goccy's tree into nodes, anchors resolved.
type builder struct {
	anchors map[string]ast.Node
	open    map[string]bool // anchors being expanded, to stop cycles
	made    int
	fault   func(line, column int, format string, args ...any)
}

// The parser needs memory by the square of the depth: no suite that a person reads comes near these.
const (
	maxSize  = 4 << 20
	maxDepth = 1000
)

// tooDeep finds the place where brackets, or dashes on one line, are nested beyond maxDepth; line 0 means nowhere.
func tooDeep(text []byte) (line, column int) {
	depth, dashes, line, column, before := 0, 0, 1, 0, byte(0)
	for _, c := range text {
		column++
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '-':
		case ' ':
			if before == '-' {
				dashes++
			}
		case '\n':
			line, column, dashes = line+1, 0, 0
		default:
			dashes = 0
		}
		if depth > maxDepth || dashes > maxDepth {
			return line, column
		}
		before = c
	}
	return 0, 0
}

// parse reads the text; nil means that it is no YAML, which is then noted.
func (r *reader) parse() *node {
	if line, column := tooDeep(r.text); line > 0 {
		r.fault(line, column, "nested deeper than %d", maxDepth)
		return nil
	}
	file, err := parser.ParseBytes(r.text, 0)
	if err != nil {
		r.syntax(err)
		return nil
	}
	b := &builder{anchors: map[string]ast.Node{}, open: map[string]bool{}, fault: r.fault}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		n := b.build(doc.Body)
		if i+1 < len(file.Docs) && file.Docs[i+1].Body != nil {
			t := file.Docs[i+1].Body.GetToken()
			r.fault(t.Position.Line, t.Position.Column, "a suite is one document, this is another one")
		}
		return n
	}
	r.fault(1, 1, "the file is empty")
	return nil
}

func (r *reader) syntax(err error) {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		r.fault(1, 1, "no YAML: %v", err)
		return
	}
	at := e.GetToken().Position
	r.fault(at.Line, at.Column, "no YAML: %s", e.GetMessage())
}

func (b *builder) build(n ast.Node) *node {
	out := &node{line: 1, column: 1}
	if t := n.GetToken(); t != nil && t.Position != nil {
		out.line, out.column = t.Position.Line, t.Position.Column
	}
	if b.made++; b.made > maxNodes {
		if b.made == maxNodes+1 {
			b.fault(out.line, out.column, "more than %d values, aliases included", maxNodes)
		}
		return out
	}
	switch v := n.(type) {
	case *ast.MappingNode:
		out.kind = mapping
		for _, p := range v.Values {
			out.pairs = append(out.pairs, b.pair(p))
		}
	case *ast.MappingValueNode:
		out.kind = mapping
		out.pairs = []pair{b.pair(v)}
	case *ast.SequenceNode:
		out.kind = list
		for _, item := range v.Values {
			out.items = append(out.items, b.build(item))
		}
	case *ast.AnchorNode:
		b.anchors[v.Name.GetToken().Value] = v.Value
		return b.build(v.Value)
	case *ast.AliasNode:
		return b.alias(v, out)
	case *ast.TagNode:
		return b.build(v.Value)
	case *ast.LiteralNode:
		out.text = v.Value.Value
	case *ast.StringNode:
		out.text = v.Value
		out.bare = v.Token.Type == token.StringType && isJSONWord(v.Value)
	case *ast.NullNode:
		out.null, out.bare = true, true
	default:
		out.text, out.bare = n.GetToken().Value, true
	}
	if len(out.pairs) > 0 { // a mapping's own token is its first colon
		out.line, out.column = out.pairs[0].key.line, out.pairs[0].key.column
	}
	return out
}

func (b *builder) pair(p *ast.MappingValueNode) pair {
	return pair{b.build(p.Key), b.build(p.Value)}
}

func (b *builder) alias(v *ast.AliasNode, at *node) *node {
	name := v.Value.GetToken().Value
	target := b.anchors[name]
	switch {
	case target == nil:
		b.fault(at.line, at.column, "no anchor &%s before this", name)
		return at
	case b.open[name]:
		b.fault(at.line, at.column, "*%s contains itself", name)
		return at
	}
	b.open[name] = true
	defer delete(b.open, name)
	return b.build(target)
}

// isJSONWord says whether an unquoted word means a JSON value by itself.
func isJSONWord(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || s == "true" || s == "false" || s == "null"
}
