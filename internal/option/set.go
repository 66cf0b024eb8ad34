package option

import (
	"fmt"
	"strings"
)

// All lists the options in the order of their declaration.
func (s *Set) All() []*Option { return s.options }

// Lookup finds an option by its name, nil when there is none.
func (s *Set) Lookup(name string) *Option { return s.byName[name] }

// Given reports whether the option was given by a flag, the environment or a file.
func (s *Set) Given(name string) bool {
	o := s.byName[name]
	return o != nil && o.Given()
}

// ApplyEnv takes the values of the environment. lookup is os.LookupEnv, or a table in tests. A repeated option
// takes one value per line, a switch takes true or false.
func (s *Set) ApplyEnv(lookup func(string) (string, bool)) error {
	for _, o := range s.options {
		text, ok := lookup(o.EnvName())
		if !ok || text == "" {
			continue
		}
		values := []string{text}
		if o.Repeats() {
			values = strings.Split(text, "\n")
		}
		if err := o.Apply(Env, o.EnvName(), values...); err != nil {
			return fmt.Errorf("%s %w", o.EnvName(), err)
		}
	}
	return nil
}

// Describe lists the options that were given, or all of them, one a line: name, value, origin.
func (s *Set) Describe(all bool) string {
	var b strings.Builder
	for _, o := range s.options {
		if !all && !o.Given() {
			continue
		}
		origin, from := o.Origin()
		where := origin.String()
		if from != "" {
			where += " " + from
		}
		text := strings.ReplaceAll(o.Text(), "\n", " ")
		if text == "" {
			text = "-"
		}
		fmt.Fprintf(&b, "  %-21s %-28s %s\n", o.Name, text, where)
	}
	return b.String()
}
