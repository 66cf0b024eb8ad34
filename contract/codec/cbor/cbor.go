// Package cbor turns JSON into CBOR (RFC 8949) and back: what a person types and reads, and what goes over the wire.
//
// Nothing is lost on the way out: integers stay integers of 64 bits, fractions become doubles, maps and arrays have
// definite lengths and keep their order. On the way back byte strings become base64, and what JSON has no word for is
// told by one: "NaN", "Infinity".
package cbor

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	library "github.com/fxamacker/cbor/v2"
)

// MaxDepth is how deep values may lie in one another.
const MaxDepth = 100

// reading is how the library reads: bounded, and a map's key twice is an error.
var reading = func() library.DecMode {
	mode, err := library.DecOptions{
		MaxNestedLevels: MaxDepth, MaxArrayElements: 1 << 24, MaxMapPairs: 1 << 22,
		DupMapKey: library.DupMapKeyEnforcedAPF, UTF8: library.UTF8RejectInvalid,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// FromJSON encodes one JSON value.
func FromJSON(text []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	out, err := value(nil, dec, 0)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the JSON ends too early")
	}
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("one JSON value was expected, and more follows it")
	}
	return out, nil
}

// The major types of RFC 8949, section 3.1.
const (
	unsigned = 0 << 5
	negative = 1 << 5
	byteText = 2 << 5
	text     = 3 << 5
	array    = 4 << 5
	pairs    = 5 << 5
	simple   = 7 << 5
)

// head appends the head of a value: its major type and its number in the shortest form.
func head(out []byte, major byte, n uint64) []byte {
	b := binary.BigEndian
	switch {
	case n < 24:
		return append(out, major|byte(n))
	case n <= math.MaxUint8:
		return append(out, major|24, byte(n))
	case n <= math.MaxUint16:
		return b.AppendUint16(append(out, major|25), uint16(n))
	case n <= math.MaxUint32:
		return b.AppendUint32(append(out, major|26), uint32(n))
	}
	return b.AppendUint64(append(out, major|27), n)
}

// AppendMap appends the head of a map of n pairs, AppendArray that of an array of n values.
func AppendMap(out []byte, n int) []byte   { return head(out, pairs, uint64(n)) }
func AppendArray(out []byte, n int) []byte { return head(out, array, uint64(n)) }

// AppendText and AppendBytes append strings.
func AppendText(out []byte, s string) []byte { return append(head(out, text, uint64(len(s))), s...) }
func AppendBytes(out []byte, p []byte) []byte {
	return append(head(out, byteText, uint64(len(p))), p...)
}

// AppendInt and AppendUint append integers.
func AppendInt(out []byte, n int64) []byte {
	if n < 0 {
		return head(out, negative, uint64(-(n + 1)))
	}
	return head(out, unsigned, uint64(n))
}
func AppendUint(out []byte, n uint64) []byte { return head(out, unsigned, n) }

// AppendBool and AppendNull append the simple values of those names.
func AppendBool(out []byte, b bool) []byte {
	if b {
		return append(out, simple|21)
	}
	return append(out, simple|20)
}
func AppendNull(out []byte) []byte { return append(out, simple|22) }

// AppendFloat32 and AppendFloat64 append floating-point numbers of that size.
func AppendFloat32(out []byte, f float32) []byte {
	return binary.BigEndian.AppendUint32(append(out, simple|26), math.Float32bits(f))
}
func AppendFloat64(out []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(out, simple|27), math.Float64bits(f))
}

// value appends the next value of dec.
func value(out []byte, dec *json.Decoder, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("values lie more than %d deep in one another", MaxDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case nil:
		return AppendNull(out), nil
	case bool:
		return AppendBool(out, t), nil
	case string:
		return AppendText(out, t), nil
	case json.Number:
		return number(out, t.String())
	case json.Delim:
		return several(out, dec, t, depth)
	}
	return nil, fmt.Errorf("%v is no JSON value", t)
}

// several appends a map or an array, whose length is known only at its end.
func several(out []byte, dec *json.Decoder, open json.Delim, depth int) ([]byte, error) {
	var inner []byte
	n := 0
	for ; dec.More(); n++ {
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			inner = AppendText(inner, key.(string))
		}
		var err error
		if inner, err = value(inner, dec, depth+1); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if open == '{' {
		return append(AppendMap(out, n), inner...), nil
	}
	return append(AppendArray(out, n), inner...), nil
}

// number appends an integer of 64 bits, or a double.
func number(out []byte, s string) ([]byte, error) {
	if !strings.ContainsAny(s, ".eE") && s != "-0" {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return AppendInt(out, n), nil
		}
		if n, err := strconv.ParseUint(s, 10, 64); err == nil {
			return AppendUint(out, n), nil
		}
		return nil, fmt.Errorf("the number %s does not fit 64 bits: write it as a string, or with a fraction (1e30) to send a double", s)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %s does not fit a double", s)
	}
	return AppendFloat64(out, f), nil
}

// ToJSON reads one CBOR value, of definite or indefinite length, and tells it as JSON without white space. Keys that
// are no strings become strings; maps are told in the order of their keys.
func ToJSON(body []byte) ([]byte, error) {
	if len(body) == 0 {
		return nil, errors.New("no CBOR: the body is empty")
	}
	var v any
	rest, err := reading.UnmarshalFirst(body, &v)
	if err != nil {
		return nil, fmt.Errorf("%d bytes are no CBOR: %s", len(body), strings.TrimPrefix(err.Error(), "cbor: "))
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes follow the CBOR value of %d", len(rest), len(body)-len(rest))
	}
	if v, err = plain(v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// plain is v in what JSON knows.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case map[any]any:
		return plainMap(v)
	case []any:
		for i := range v {
			var err error
			if v[i], err = plain(v[i]); err != nil {
				return nil, err
			}
		}
		return v, nil
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	case float64:
		return fraction(v), nil
	case float32:
		return fraction(float64(v)), nil
	case library.Tag:
		return plain(v.Content)
	case library.SimpleValue:
		return nil, fmt.Errorf("the simple value %d of CBOR has no form in JSON", v)
	case big.Int:
		return json.Number(v.String()), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	}
	return v, nil
}

func plainMap(m map[any]any) (any, error) {
	out := make(map[string]any, len(m))
	for k, v := range m {
		key, err := keyOf(k)
		if err != nil {
			return nil, err
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("two keys of a map are %q in JSON", key)
		}
		if out[key], err = plain(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keyOf is a key of a map as JSON can have it.
func keyOf(k any) (string, error) {
	switch k := k.(type) {
	case string:
		return k, nil
	case int64, uint64, bool:
		return fmt.Sprint(k), nil
	case library.ByteString:
		return base64.StdEncoding.EncodeToString([]byte(k)), nil
	}
	return "", fmt.Errorf("a key of a map that is no string, number or bytes (%T) has no form in JSON", k)
}

// fraction is a number, or the word that stands for it in the JSON of protobuf.
func fraction(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}
