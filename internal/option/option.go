// Package option turns one declaration, a tagged struct field, into a command-line flag with its aliases, an
// environment variable, a key of the suite file and a line of help, and remembers where each value came from.
//
//	type load struct {
//		Concurrency int `flag:"concurrency,c" value:"N" default:"50" min:"1" help:"calls in flight"`
//	}
//
// Tags: flag "name,shorthand"; alias, a list of other spellings ("q" is a flag, "-q" a shorthand,
// "http2=2" a flag without value that sets 2); value, the placeholder in help; default; min and max for numbers;
// empty "ok" for text that may be ""; bare, the unit of a duration written without one ("s"); suite:"-" for what has no place in a file;
// group, on an embedded struct, the heading of its flags in help.
//
// Precedence is flag, environment, file, default, in whatever order they are applied. Start reading at Bind.
package option

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/pflag"
)

// Origin says where the present value of an option came from. A higher one wins.
type Origin uint8

// The origins, weakest first.
const (
	Default Origin = iota
	File
	Env
	Flag
)

// String names the origin as --dry-run -v prints it.
func (o Origin) String() string { return [...]string{"default", "file", "environment", "flag"}[o] }

// An Option is one declared option with its value.
type Option struct {
	Name      string
	Shorthand string
	Aliases   []Alias
	Group     string // heading in help
	Help      string // one line, lower case, with the unit
	Value     string // placeholder in help; empty for switches
	Suite     bool   // may stand in a suite file
	Empty     bool   // may be given without anything, as --data ''
	Default   string // as declared; empty for none

	value  value
	origin Origin
	from   string
}

// An Alias is another spelling of an option. Fixed is what it sets when it takes no value of its own.
type Alias struct {
	Name, Shorthand, Fixed string
}

// A Set is the options of one command.
type Set struct {
	options []*Option
	byName  map[string]*Option
}

// Bind declares the tagged fields of the struct that ptr points to, embedded structs included, and adds them as
// flags to fs, which may be nil. It panics on a wrong declaration, so that a test of any command finds it.
func Bind(fs *pflag.FlagSet, ptr any) *Set {
	s := &Set{byName: map[string]*Option{}}
	s.bindStruct(reflect.ValueOf(ptr).Elem(), "")
	if fs != nil {
		fs.SortFlags = false
		for _, o := range s.options {
			o.addTo(fs)
		}
	}
	return s
}

func (s *Set) bindStruct(v reflect.Value, group string) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			inner := group
			if g := f.Tag.Get("group"); g != "" {
				inner = g
			}
			s.bindStruct(v.Field(i), inner)
			continue
		}
		if f.Tag.Get("flag") == "" {
			continue
		}
		s.add(declare(f, v.Field(i), group))
	}
}

func (s *Set) add(o *Option) {
	if s.byName[o.Name] != nil {
		panic("option " + o.Name + " declared twice")
	}
	s.options = append(s.options, o)
	s.byName[o.Name] = o
}

func declare(f reflect.StructField, v reflect.Value, group string) *Option {
	name, short, _ := strings.Cut(f.Tag.Get("flag"), ",")
	o := &Option{
		Name: name, Shorthand: short, Group: group, Help: f.Tag.Get("help"), Value: f.Tag.Get("value"),
		Suite: f.Tag.Get("suite") != "-", Empty: f.Tag.Get("empty") == "ok", Default: f.Tag.Get("default"), Aliases: aliases(f.Tag.Get("alias")),
		value: valueOf(v.Addr().Interface(), f.Tag),
	}
	if o.Help == "" {
		panic("option " + name + " has no help")
	}
	if o.Default != "" {
		if err := o.value.Set(o.Default); err != nil {
			panic(fmt.Sprintf("option %s: default %q: %v", name, o.Default, err))
		}
	}
	return o
}

func aliases(tag string) []Alias {
	if tag == "" {
		return nil
	}
	var list []Alias
	for _, a := range strings.Split(tag, ",") {
		name, fixed, _ := strings.Cut(a, "=")
		if short, ok := strings.CutPrefix(name, "-"); ok {
			list = append(list, Alias{Name: short, Shorthand: short, Fixed: fixed})
			continue
		}
		list = append(list, Alias{Name: name, Fixed: fixed})
	}
	return list
}

func (o *Option) addTo(fs *pflag.FlagSet) {
	f := fs.VarPF(flagValue{o, ""}, o.Name, o.Shorthand, o.usage())
	f.DefValue = o.Default
	if o.value.Switch() {
		f.NoOptDefVal = "true"
	}
	for _, a := range o.Aliases {
		af := fs.VarPF(flagValue{o, a.Fixed}, a.Name, a.Shorthand, "same as --"+o.Name)
		af.Hidden = true
		if a.Fixed != "" || o.value.Switch() {
			af.NoOptDefVal = "true"
		}
	}
}

func (o *Option) usage() string {
	if o.Value == "" {
		return o.Help
	}
	return "`" + o.Value + "` " + o.Help
}

// Origin says where the value came from, and which variable or place in a file it was.
func (o *Option) Origin() (Origin, string) { return o.origin, o.from }

// Text is the present value as a user would write it; repeated values stand on lines of their own.
func (o *Option) Text() string { return o.value.String() }

// Switch reports whether the option takes no value.
func (o *Option) Switch() bool { return o.value.Switch() }

// Repeats reports whether the option may be given several times.
func (o *Option) Repeats() bool { return o.value.repeats() }

// EnvName is the option's environment variable.
func (o *Option) EnvName() string {
	return "WIREGAUGE_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(o.Name))
}

// Apply gives the option its values from one origin, unless a stronger one has already spoken. Values of the same
// origin replace one another, or add up when the option repeats.
func (o *Option) Apply(origin Origin, from string, values ...string) error {
	if origin < o.origin {
		return nil
	}
	if origin > o.origin {
		o.value.reset()
	}
	o.origin, o.from = origin, from
	for _, v := range values {
		if err := o.value.Set(v); err != nil {
			return err
		}
	}
	return nil
}

// Try says whether the option would take these values. It spoils the present value: it is for scratch sets.
func (o *Option) Try(values []string) error {
	o.value.reset()
	for _, v := range values {
		if err := o.value.Set(v); err != nil {
			return err
		}
	}
	return nil
}

// Given reports whether anybody, not only the default, gave the option a value.
func (o *Option) Given() bool { return o.origin != Default }

// flagValue is an option, or one of its aliases, as pflag sees it.
type flagValue struct {
	o     *Option
	fixed string
}

func (f flagValue) String() string {
	if f.o == nil {
		return ""
	}
	return f.o.value.String()
}

func (f flagValue) Set(s string) error {
	if f.fixed != "" {
		s = f.fixed
	}
	if _, is := f.o.value.(*text); is && s == "" && !f.o.Empty {
		return &Want{Want: "a value", Got: s}
	}
	return f.o.Apply(Flag, "", s)
}

func (f flagValue) Type() string {
	if f.o.value.Switch() {
		return "bool"
	}
	return "value"
}
