package suite

import (
	"strings"

	"wiregauge/internal/nearest"
	"wiregauge/internal/option"
)

// A reader walks one file and notes every mistake.
type reader struct {
	file     *File
	text     []byte
	keys     Keys
	lookup   func(string) (string, bool)
	mistakes Mistakes
	seen     map[string]bool // options set so far, at the top or under load
}

// sections are the keys that are no options.
var sections = []string{"load", "targets"}

// targetKeys are those of a target that are no options.
var targetKeys = []string{"url", "start", "build", "dir", "environ"}

func (r *reader) suite(root *node) {
	if root.kind != mapping {
		r.fault(root.line, root.column, "a suite is a mapping of keys to values, such as \"targets:\"")
		return
	}
	for _, p := range root.pairs {
		switch p.key.text {
		case "load":
			r.load(p.value)
		case "targets":
			r.targets(p.value)
		default:
			r.setting(p, r.keys.Suite, sections, r.seen, &r.file.Settings)
		}
	}
}

// load holds options too, and mode.
func (r *reader) load(n *node) {
	if n.kind != mapping {
		r.fault(n.line, n.column, "load is a mapping such as {rate: 2000, warmup: 5s}")
		return
	}
	var mode *node
	for _, p := range n.pairs {
		if p.key.text == "mode" {
			mode = p.value
			continue
		}
		r.setting(p, r.keys.Suite, []string{"mode"}, r.seen, &r.file.Settings)
	}
	if mode == nil {
		return
	}
	open := r.seen["rate"]
	switch {
	case mode.text != "open" && mode.text != "closed":
		r.fault(mode.line, mode.column, "mode is open or closed, got %q", mode.text)
	case mode.text == "open" && !open:
		r.fault(mode.line, mode.column, "mode: open wants a rate")
	case mode.text == "closed" && open:
		r.fault(mode.line, mode.column, "mode: closed does not go with a rate")
	}
}

func (r *reader) targets(n *node) {
	if n.kind != mapping || len(n.pairs) == 0 {
		r.fault(n.line, n.column, "targets is a mapping of names to {url: …}")
		return
	}
	names := map[string]bool{}
	for _, p := range n.pairs {
		name := p.key.text
		switch {
		case names[name]:
			r.fault(p.key.line, p.key.column, "target %q is there already", name)
		case name == "" || strings.Trim(name, nameLetters) != "":
			r.fault(p.key.line, p.key.column, "%q is no name for a target: letters, digits, - and _", name)
		}
		names[name] = true
		r.target(p)
	}
}

// nameLetters make up names of arms; gates write ARM.METRIC, so no dot.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func (r *reader) target(p pair) {
	t := Target{Name: p.key.text, Line: p.key.line}
	if p.value.kind == scalar && !p.value.null { // rest: http://…
		t.URL = r.url(p.value)
		r.file.Targets = append(r.file.Targets, t)
		return
	}
	if p.value.kind != mapping {
		r.fault(p.value.line, p.value.column, "a target is a URL or a mapping such as {url: http://localhost:8080/}")
		return
	}
	seen, given := map[string]bool{}, false
	for _, q := range p.value.pairs {
		switch q.key.text {
		case "url":
			t.URL, given = r.url(q.value), true
		case "start":
			t.Start, t.StartIsList = r.words(q.value, "start"), q.value.kind == list
		case "build":
			t.Build, t.BuildIsList = r.words(q.value, "build"), q.value.kind == list
		case "ready":
			r.fault(q.key.line, q.key.column, "ready is not in this version: a server is ready when a call to it is answered; leave the key out")
		case "dir":
			t.Dir = r.word(q.value, "dir")
		case "environ":
			t.Environ = r.values(q.value, "=")
		default:
			r.setting(q, r.keys.Target, targetKeys, seen, &t.Settings)
		}
	}
	if !given {
		r.fault(p.key.line, p.key.column, "target %q has no url", t.Name)
	}
	r.file.Targets = append(r.file.Targets, t)
}

// url is where a target is; its value is looked at when its text is whole.
func (r *reader) url(n *node) string {
	before := len(r.mistakes)
	url := r.word(n, "url")
	if r.keys.URL == nil || len(r.mistakes) > before {
		return url
	}
	if err := r.keys.URL(url); err != nil {
		r.fault(n.line, n.column, "%v", err)
	}
	return url
}

// setting reads one key that should be an option.
func (r *reader) setting(p pair, sets []*option.Set, beside []string, seen map[string]bool, into *[]Setting) {
	o := find(sets, p.key.text)
	if o == nil {
		r.unknown(p.key, sets, beside)
		return
	}
	if seen[o.Name] {
		r.fault(p.key.line, p.key.column, "%q is set already", o.Name)
		return
	}
	seen[o.Name] = true
	s := Setting{Option: o.Name, Line: p.key.line, Column: p.key.column, Values: r.optionValues(o, p.value)}
	if err := o.Try(s.Values); err != nil {
		r.fault(p.value.line, p.value.column, "%s %v", p.key.text, err)
		return
	}
	r.look(&s, p.value)
	*into = append(*into, s)
}

// look has every value of an option looked at; of a list each has a place of its own.
func (r *reader) look(s *Setting, n *node) {
	if r.keys.Value == nil {
		return
	}
	for i, v := range s.Values {
		at := n
		if n.kind == list && len(n.items) == len(s.Values) {
			at = n.items[i]
		}
		if err := r.keys.Value(s.Option, v); err != nil {
			r.fault(at.line, at.column, "%v", err)
		}
	}
}

// find is the option that a key names: its name or a long alias that takes a value.
func find(sets []*option.Set, key string) *option.Option {
	for _, set := range sets {
		for _, o := range set.All() {
			if !o.Suite {
				continue
			}
			if o.Name == key {
				return o
			}
			for _, a := range o.Aliases {
				if a.Name == key && a.Shorthand == "" && a.Fixed == "" {
					return o
				}
			}
		}
	}
	return nil
}

// unknown notes a key that is no option, with what was probably meant: a flag's shorthand is known, too.
func (r *reader) unknown(key *node, sets []*option.Set, beside []string) {
	known := append([]string{}, beside...)
	for _, set := range sets {
		for _, o := range set.All() {
			if shorthand(o, key.text) {
				r.fault(key.line, key.column, "unknown key %q - did you mean %q?", key.text, o.Name)
				return
			}
			if o.Suite {
				known = append(known, o.Name)
			}
		}
	}
	if key.text == "mode" {
		r.fault(key.line, key.column, "\"mode\" stands under load: load: {mode: open, rate: 2000}")
		return
	}
	if near := nearest.Of(key.text, known); near != "" && len(key.text) > 1 {
		r.fault(key.line, key.column, "unknown key %q - did you mean %q?", key.text, near)
		return
	}
	r.fault(key.line, key.column, "unknown key %q", key.text)
}

func shorthand(o *option.Option, key string) bool {
	if !o.Suite {
		return false
	}
	if o.Shorthand == key {
		return key != ""
	}
	for _, a := range o.Aliases {
		if a.Shorthand == key && key != "" || a.Name == key {
			return true
		}
	}
	return false
}
