package result

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
)

// Write writes f as indented JSON with a newline at its end. First it completes f: histograms are encoded, lists
// that are nil become empty, and numbers that are not finite become null, or 0 where null is not possible.
func (f *File) Write(w io.Writer) error {
	text, err := f.JSON()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// JSON is what Write writes.
func (f *File) JSON() ([]byte, error) {
	if err := f.complete(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write result %s: %w", f.ID, err)
	}
	return append(text, '\n'), nil
}

func (f *File) complete() error {
	if f.Schema == "" {
		f.Schema = Schema
	}
	err := f.eachDistribution(func(name string, d *Distribution) error {
		if err := d.encode(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	tidy(reflect.ValueOf(f).Elem())
	return nil
}

// eachDistribution visits every distribution, named as in the JSON.
func (f *File) eachDistribution(visit func(name string, d *Distribution) error) error {
	for i := range f.Arms {
		a := &f.Arms[i]
		all := []struct {
			name string
			d    *Distribution
		}{
			{"latency", &a.Latency}, {"failed_latency", &a.FailedLatency}, {"service", &a.Service},
			{"failed_service", &a.FailedService}, {"first_byte", &a.FirstByte}, {"lateness", &a.Lateness},
			{"slot_wait", &a.SlotWait}, {"connect", &a.Connect}, {"message_gap", a.MessageGap},
			{"first_message", a.FirstMessage},
			{"unfinished_ages", &a.Ages}, {"unsent_ages", &a.UnsentAges}, {"oversleep", a.Oversleep},
			{"from_dispatch", a.Dispatched},
		}
		for _, x := range all {
			if x.d == nil {
				continue
			}
			if err := visit(fmt.Sprintf("arms[%d].%s", i, x.name), x.d); err != nil {
				return err
			}
		}
	}
	return nil
}

// tidy makes v fit for JSON: no NaN, no Inf, no nil list. It does not enter histograms.
func tidy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		if !finite(v.Float()) {
			v.SetFloat(0)
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*float64]() && !v.IsNil() && !finite(v.Elem().Float()) {
			v.SetZero()
			return
		}
		if !v.IsNil() {
			tidy(v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			tidy(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Tag.Get("json") != "-" {
				tidy(v.Field(i))
			}
		}
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
