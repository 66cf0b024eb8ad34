package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"wiregauge/internal/option"
)

// SweepOptions vary the load or the payload from point to point, the same in run and compare.
type SweepOptions struct {
	Users     string `flag:"users" value:"LIST" help:"a sweep over calls in flight, a measurement for each: 50,100,1000 or 1..512x2"`
	Rates     string `flag:"rates" value:"LIST" help:"a sweep over rates (open loop): 100,1k,10k or 100..1000+100"`
	Sizes     string `flag:"sizes" value:"LIST" help:"a sweep over payloads: 100,1kb,64kb. The body is that many bytes of text, or --size-field of the data is"`
	SizeField string `flag:"size-field" value:"NAME[:bytes]" help:"the field of the JSON data that --sizes fills: with text, or with :bytes in base64"`
}

// A point is one setting of a sweep; what is not varied is 0.
type point struct {
	users int
	rate  string
	rates float64
	size  int64
}

// label is "c=8", "500/s", "1 kB", or two of them.
func (p point) label() string {
	var parts []string
	if p.users > 0 {
		parts = append(parts, fmt.Sprintf("c=%d", p.users))
	}
	if p.rate != "" {
		parts = append(parts, thousands(int64(p.rates))+"/s")
		if p.rates != float64(int64(p.rates)) {
			parts[len(parts)-1] = strconv.FormatFloat(p.rates, 'g', 4, 64) + "/s"
		}
	}
	if p.size > 0 {
		parts = append(parts, sizeWords(p.size))
	}
	return strings.Join(parts, ", ")
}

func sizeWords(n int64) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1e6, 'g', -1, 64) + " MB"
	case n >= 1000 && n%100 == 0:
		return strconv.FormatFloat(float64(n)/1e3, 'g', -1, 64) + " kB"
	}
	return strconv.FormatInt(n, 10) + " B"
}

// mostPoints bounds a sweep.
const mostPoints = 200

// points are all settings: calls in flight or rates, times sizes. None when no sweep was asked for.
func (o *SweepOptions) points(set *option.Set) ([]point, error) {
	if o.Users == "" && o.Rates == "" && o.Sizes == "" {
		if o.SizeField != "" {
			return nil, usage("--size-field says which field --sizes fills; give the sizes, too")
		}
		return nil, nil
	}
	switch {
	case o.Users != "" && o.Rates != "":
		return nil, usage("--users is a sweep of closed loops and --rates one of open loops: one at a time")
	case o.Users != "" && (set.Given("concurrency") || set.Given("rate")):
		return nil, usage("--users says how many calls are in flight; -c and --rate do not go with it")
	case o.Rates != "" && set.Given("rate"):
		return nil, usage("--rates says how many calls are due a second; --rate does not go with it")
	case set.Given("ramp"):
		return nil, usage("--ramp changes the load inside one measurement, a sweep makes a measurement of each load: one of them")
	}
	loads, err := o.loads()
	if err != nil {
		return nil, err
	}
	sizes, err := valuesOf("--sizes", o.Sizes, "a size such as 100, 1kb or 64kb", func(s string) (float64, error) {
		n, err := option.ParseSize(s)
		if err != nil {
			n, err = option.ParseCount(s)
		}
		return float64(n), err
	})
	if err != nil {
		return nil, err
	}
	list := loads
	if len(sizes) > 0 {
		list = nil
		for _, l := range loads {
			for _, s := range sizes {
				l.size = int64(s)
				list = append(list, l)
			}
		}
	}
	if len(list) > mostPoints {
		return nil, usage("a sweep of %d points is more than anyone reads: at most %d", len(list), mostPoints)
	}
	return list, nil
}

// loads are the points of --users or --rates; one that varies nothing when there are neither.
func (o *SweepOptions) loads() ([]point, error) {
	users, err := valuesOf("--users", o.Users, "a number of calls in flight such as 50, or 1..512x2", func(s string) (float64, error) {
		n, err := option.ParseCount(s)
		return float64(n), err
	})
	if err != nil {
		return nil, err
	}
	rates, err := valuesOf("--rates", o.Rates, "calls per second such as 500, 2k or 0.5", func(s string) (float64, error) {
		var r rate
		if err := r.Set(s); err != nil || !r.open() {
			return 0, &option.Want{Want: "calls per second above 0", Got: s}
		}
		return r.float(), nil
	})
	if err != nil {
		return nil, err
	}
	var list []point
	for _, n := range users {
		list = append(list, point{users: int(n)})
	}
	for _, r := range rates {
		list = append(list, point{rate: strconv.FormatFloat(r, 'f', -1, 64), rates: r})
	}
	if len(list) == 0 {
		list = append(list, point{})
	}
	return list, nil
}

// valuesOf reads a list of single values and of ranges, 1..512x2 or 100..1000+100.
func valuesOf(flag, text, want string, parse func(string) (float64, error)) ([]float64, error) {
	var list []float64
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		more, err := rangeOf(part, parse)
		if err != nil {
			return nil, usage("%s wants a list, each %s, got %q", flag, want, part)
		}
		for _, v := range more {
			if v < 1 && flag != "--rates" || v <= 0 || v > 1e9 {
				return nil, usage("%s wants a list, each %s, got %q", flag, want, part)
			}
		}
		if list = append(list, more...); len(list) > mostPoints {
			return nil, usage("%s %s is more than anyone reads: at most %d points", flag, text, mostPoints)
		}
	}
	for i := range list {
		for _, v := range list[:i] {
			if v == list[i] {
				return nil, usage("%s %s names a point twice", flag, text)
			}
		}
	}
	return list, nil
}

func rangeOf(part string, parse func(string) (float64, error)) ([]float64, error) {
	from, rest, isRange := strings.Cut(part, "..")
	if !isRange {
		v, err := parse(part)
		return []float64{v}, err
	}
	at := strings.LastIndexAny(rest, "x+")
	if at < 0 {
		return nil, fmt.Errorf("no step")
	}
	low, err1 := parse(from)
	high, err2 := parse(rest[:at])
	by, err3 := strconv.ParseFloat(rest[at+1:], 64)
	times := rest[at] == 'x'
	if err1 != nil || err2 != nil || err3 != nil || low <= 0 || high < low || times && !(by > 1) || !times && !(by > 0) {
		return nil, fmt.Errorf("no range")
	}
	var list []float64
	for v := low; v <= high && len(list) <= mostPoints; {
		list = append(list, v)
		if times {
			v *= by
		} else {
			v += by
		}
	}
	return list, nil
}

// sized is the data with so many bytes of payload: the named field of a JSON object, or all of it without a name. The
// text is random letters, so that compression finds as little in it at any size, and the same for every arm.
func sized(data []byte, field string, n int64) (string, error) {
	text := letters(n)
	if field == "" {
		if len(data) > 0 {
			return "", usage("--sizes replaces the whole body, and there is data: name the field to fill with --size-field")
		}
		return text, nil
	}
	name, kind, _ := strings.Cut(field, ":")
	if kind == "bytes" {
		text = base64.StdEncoding.EncodeToString([]byte(text))
	} else if kind != "" {
		return "", usage("--size-field wants NAME or NAME:bytes, got %q", field)
	}
	object := map[string]any{}
	if len(data) > 0 {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&object); err != nil {
			return "", usage("--size-field %s fills a field of a JSON object, and the data is none: %w", name, err)
		}
	}
	object[name] = text
	out, err := json.Marshal(object)
	return string(out), err
}

func letters(n int64) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(text)
}

// set gives options the values of the point.
func (p point) set(set *option.Set) error {
	for _, v := range []struct{ name, flag, value string }{
		{"concurrency", "--users", strconv.Itoa(p.users)}, {"rate", "--rates", p.rate},
	} {
		if v.value == "" || v.value == "0" {
			continue
		}
		if err := set.Lookup(v.name).Apply(option.Flag, v.flag, v.value); err != nil {
			return usage("%s: %w", v.flag, err)
		}
	}
	return nil
}

// fill gives data options the payload of the point.
func (p point) fill(a *app, o *DataOptions, set *option.Set, field string) error {
	if p.size == 0 {
		return nil
	}
	if o.Binary != "" {
		return usage("--sizes makes the data, and --binary gives it: one of them")
	}
	data, _, err := a.readData(o)
	if err != nil {
		return err
	}
	text, err := sized(data, field, p.size)
	if err != nil {
		return err
	}
	o.DataRaw, o.DataFile = "", ""
	return set.Lookup("data").Apply(option.Flag, "--sizes", text)
}
