// Package suite reads suite files: YAML with the same keys as the flags, for one target or several.
//
// Every mistake in a file is reported at once, with file:line:column, the line itself and the key that was probably
// meant. The package knows no option by name: it is given the option sets of the commands and checks keys and values
// against them. It starts nothing and sends nothing. Start reading at Read.
package suite

import (
	"fmt"

	"wiregauge/internal/option"
	"wiregauge/internal/slurp"
)

// Keys are the options that a file may set: those of the commands that read suites for the file as a whole and its
// load section, and those that one target may have for itself. The sets are scratch: values are tried on them.
type Keys struct {
	Suite, Target []*option.Set
	// Value and URL, when not nil, look at what an option or a target's url was given beyond its syntax. An error of
	// Value names the option.
	Value func(option, value string) error
	URL   func(url string) error
}

// A File is a suite that was read and found right.
type File struct {
	Name     string // its path
	Settings []Setting
	Targets  []Target // in the order of the file
}

// A Setting is one option with its values, not yet applied.
type Setting struct {
	Option string // the option's own name, also where an alias was written
	Values []string
	Line   int
	Column int
}

// A Target is one entry under targets.
type Target struct {
	Name  string
	URL   string
	Start []string // one entry as written, or the words of a list
	// StartIsList says that Start was a list: its words are used as they are.
	StartIsList bool
	Build       []string // what makes the program that Start runs, likewise
	BuildIsList bool
	Dir         string
	Environ     []string // "K=V"
	Settings    []Setting
	Line        int
}

// Read reads a file. lookup finds the values of ${NAME}: --env first, then the environment.
func Read(path string, keys Keys, lookup func(string) (string, bool)) (*File, error) {
	text, err := slurp.File(path, maxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, keys, lookup)
}

// Parse reads the text of a file. The error is of type Mistakes when the text is at fault.
func Parse(name string, text []byte, keys Keys, lookup func(string) (string, bool)) (*File, error) {
	r := &reader{file: &File{Name: name}, text: text, keys: keys, lookup: lookup, seen: map[string]bool{}}
	root := r.parse()
	if root != nil {
		r.suite(root)
	}
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	return r.file, nil
}

// Apply gives the options of a command the values of the whole suite; options that the command does not have are
// for another one and left out.
func (f *File) Apply(set *option.Set) error { return f.apply(set, f.Settings) }

// ApplyTarget gives the options of one target their values.
func (f *File) ApplyTarget(set *option.Set, t *Target) error { return f.apply(set, t.Settings) }

func (f *File) apply(set *option.Set, settings []Setting) error {
	for _, s := range settings {
		o := set.Lookup(s.Option)
		if o == nil {
			continue
		}
		if err := o.Apply(option.File, fmt.Sprintf("%s:%d", f.Name, s.Line), s.Values...); err != nil {
			return fmt.Errorf("%s:%d:%d: %s %w", f.Name, s.Line, s.Column, s.Option, err)
		}
	}
	return nil
}
