package option

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Setter is a value with a syntax of its own. Set's error reads on from the option's name: "wants …, got …".
type Setter interface {
	Set(string) error
	String() string
}

// A Want is the error of a value that does not fit: what was expected, what was given, what to type.
type Want struct {
	Want, Got, Hint string
}

// Error reads on from the option's name.
func (w *Want) Error() string {
	text := fmt.Sprintf("wants %s, got %q", w.Want, w.Got)
	if w.Hint != "" {
		text += ".  " + w.Hint
	}
	return text
}

type value interface {
	Setter
	Switch() bool
	repeats() bool
	reset()
}

// valueOf makes the value behind a field, by its type.
func valueOf(ptr any, tag reflect.StructTag) value {
	switch p := ptr.(type) {
	case Setter:
		return setter{p, ptr}
	case *string:
		return &text{p, choices(tag.Get("choices"))}
	case *bool:
		return (*boolean)(p)
	case *int:
		return &integer{set: func(n int64) { *p = int(n) }, get: func() int64 { return int64(*p) }, bounds: boundsOf(tag)}
	case *int64:
		return &integer{set: func(n int64) { *p = n }, get: func() int64 { return *p }, bounds: boundsOf(tag)}
	case *uint64:
		return (*seed)(p)
	case *time.Duration:
		return &duration{p: p, bare: tag.Get("bare"), zero: tag.Get("min") == "0"}
	case *[]string:
		return (*list)(p)
	}
	panic(fmt.Sprintf("option: no flag can hold a %T", ptr))
}

func choices(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, "|")
}

type text struct {
	p       *string
	choices []string
}

func (t *text) Set(s string) error {
	if len(t.choices) == 0 {
		*t.p = s
		return nil
	}
	for _, c := range t.choices {
		if s == c {
			*t.p = s
			return nil
		}
	}
	return &Want{Want: orList(t.choices), Got: s}
}

func (t *text) String() string { return *t.p }
func (*text) Switch() bool     { return false }
func (*text) repeats() bool    { return false }
func (t *text) reset()         { *t.p = "" }

// orList is "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

type boolean bool

func (b *boolean) Set(s string) error {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return &Want{Want: "true or false", Got: s}
	}
	*b = boolean(v)
	return nil
}

func (b *boolean) String() string { return strconv.FormatBool(bool(*b)) }
func (*boolean) Switch() bool     { return true }
func (*boolean) repeats() bool    { return false }
func (b *boolean) reset()         { *b = false }

type bounds struct {
	min, max       int64
	hasMin, hasMax bool
}

func boundsOf(tag reflect.StructTag) (b bounds) {
	b.min, b.hasMin = numberTag(tag, "min")
	b.max, b.hasMax = numberTag(tag, "max")
	return b
}

func numberTag(tag reflect.StructTag, name string) (int64, bool) {
	text, ok := tag.Lookup(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("option: " + name + " is not a number: " + text)
	}
	return n, true
}

func (b bounds) words() string {
	switch {
	case b.hasMin && b.hasMax:
		return fmt.Sprintf("a whole number from %d to %d", b.min, b.max)
	case b.hasMin:
		return fmt.Sprintf("a whole number of at least %d", b.min)
	}
	return "a whole number"
}

type integer struct {
	set func(int64)
	get func() int64
	bounds
}

func (i *integer) Set(s string) error {
	n, err := ParseCount(s)
	if negative, ok := strings.CutPrefix(s, "-"); ok {
		n, err = ParseCount(negative)
		n = -n
	}
	if err != nil || i.hasMin && n < i.min || i.hasMax && n > i.max {
		return &Want{Want: i.words(), Got: s}
	}
	i.set(n)
	return nil
}

func (i *integer) String() string {
	if i.get() == 0 && i.hasMin && i.min > 0 {
		return "" // not given
	}
	return strconv.FormatInt(i.get(), 10)
}
func (*integer) Switch() bool  { return false }
func (*integer) repeats() bool { return false }
func (i *integer) reset()      { i.set(0) }

// seed is any 64-bit number.
type seed uint64

func (u *seed) Set(s string) error {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return &Want{Want: "a whole number from 0 to 18446744073709551615", Got: s}
	}
	*u = seed(n)
	return nil
}

func (u *seed) String() string { return strconv.FormatUint(uint64(*u), 10) }
func (*seed) Switch() bool     { return false }
func (*seed) repeats() bool    { return false }
func (u *seed) reset()         { *u = 0 }

type duration struct {
	p    *time.Duration
	bare string
	zero bool
}

func (d *duration) Set(s string) error {
	v, err := ParseDuration(s, d.bare)
	if err != nil {
		return err
	}
	if v == 0 && !d.zero {
		return &Want{Want: "a time above 0", Got: s}
	}
	*d.p = v
	return nil
}

func (d *duration) String() string {
	if *d.p == 0 {
		return ""
	}
	return FormatDuration(*d.p)
}
func (*duration) Switch() bool  { return false }
func (*duration) repeats() bool { return false }
func (d *duration) reset()      { *d.p = 0 }

// list takes one value each time it is given; commas are part of the value.
type list []string

func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

func (l *list) String() string { return strings.Join(*l, "\n") }
func (*list) Switch() bool     { return false }
func (*list) repeats() bool    { return true }
func (l *list) reset()         { *l = nil }

// setter is a value with a syntax of its own. A type that repeats says so by a method Reset, one that needs no
// value by a method Switch.
type setter struct {
	Setter
	ptr any
}

func (s setter) Switch() bool {
	w, ok := s.ptr.(interface{ Switch() bool })
	return ok && w.Switch()
}

func (s setter) repeats() bool {
	_, ok := s.ptr.(interface{ Reset() })
	return ok
}

func (s setter) reset() {
	if r, ok := s.ptr.(interface{ Reset() }); ok {
		r.Reset()
	}
}
