package cbor

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

// The examples of RFC 8949, appendix A, that JSON can say; back is what comes back where it is written otherwise.
var examples = []struct{ json, hex, back string }{
	{"0", "00", ""}, {"1", "01", ""}, {"10", "0a", ""}, {"23", "17", ""}, {"24", "1818", ""}, {"25", "1819", ""},
	{"100", "1864", ""}, {"1000", "1903e8", ""}, {"1000000", "1a000f4240", ""}, {"1000000000000", "1b000000e8d4a51000", ""},
	{"18446744073709551615", "1bffffffffffffffff", ""}, {"-1", "20", ""}, {"-10", "29", ""}, {"-100", "3863", ""},
	{"-1000", "3903e7", ""}, {"-9223372036854775808", "3b7fffffffffffffff", ""}, {"1.1", "fb3ff199999999999a", ""},
	{"1.0e+300", "fb7e37e43c8800759c", "1e+300"}, {"-4.1", "fbc010666666666666", ""},
	{"false", "f4", ""}, {"true", "f5", ""}, {"null", "f6", ""}, {`""`, "60", ""}, {`"a"`, "6161", ""}, {`"IETF"`, "6449455446", ""},
	{`"ü"`, "62c3bc", ""}, {`"水"`, "63e6b0b4", ""}, {"[]", "80", ""}, {"[1,2,3]", "83010203", ""}, {"[1,[2,3],[4,5]]", "8301820203820405", ""},
	{"{}", "a0", ""}, {`{"a":1,"b":[2,3]}`, "a26161016162820203", ""}, {`["a",{"b":"c"}]`, "826161a161626163", ""},
	{`{"sku":"A1","qty":2}`, "a263736b756241316371747902", `{"qty":2,"sku":"A1"}`},
}

func TestExamplesOfTheRFC(t *testing.T) {
	for _, e := range examples {
		got, err := FromJSON([]byte(e.json))
		if err != nil || hex.EncodeToString(got) != e.hex {
			t.Errorf("%s: %x, %v; want %s", e.json, got, err, e.hex)
		}
		want := e.back
		if want == "" {
			want = e.json
		}
		back, err := ToJSON(got)
		if err != nil || string(back) != want {
			t.Errorf("%s: back as %s, %v; want %s", e.hex, back, err, want)
		}
	}
}

func TestWhatOnlyCBORCanSay(t *testing.T) {
	for _, e := range []struct{ name, hex, json string }{
		{"maps of indefinite length, as Spring writes them", "bf63736b756241316371747902ff", `{"qty":2,"sku":"A1"}`},
		{"arrays of indefinite length", "9f018202039f0405ffff", "[1,[2,3],[4,5]]"},
		{"strings in pieces", "7f657374726561646d696e67ff", `"streaming"`},
		{"byte strings", "4401020304", `"AQIDBA=="`},
		{"half floats", "f93c00", "1"},
		{"singles", "fa47c35000", "100000"},
		{"no number", "f97e00", `"NaN"`},
		{"infinity", "f97c00", `"Infinity"`},
		{"undefined", "f7", "null"},
		{"big numbers", "c249010000000000000000", "18446744073709551616"},
		{"keys that are numbers", "a201020304", `{"1":2,"3":4}`},
		{"other tags", "d74401020304", `"AQIDBA=="`},
		{"times", "c074323031332d30332d32315432303a30343a30305a", `"2013-03-21T20:04:00Z"`},
	} {
		p, _ := hex.DecodeString(e.hex)
		if got, err := ToJSON(p); err != nil || string(got) != e.json {
			t.Errorf("%s: %s, %v; want %s", e.name, got, err, e.json)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+2) + strings.Repeat("]", MaxDepth+2)
	for _, e := range []struct{ in, want string }{
		{"18446744073709551616", "does not fit 64 bits"}, {"1e999", "does not fit a double"}, {deep, "deep"},
		{`{"a":1} 2`, "more follows"}, {`{"a":`, "too early"}, {"", "too early"},
	} {
		if _, err := FromJSON([]byte(e.in)); err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%.40s: %v; want %q", e.in, err, e.want)
		}
	}
	for _, e := range []struct{ name, hex, want string }{
		{"nothing", "", "empty"}, {"a map that ends too early", "a2616101", "no CBOR"}, {"two values", "0102", "follow"},
		{"a length that is a lie", "9bffffffffffffffff", "no CBOR"}, {"a key twice", "a2616101616102", "no CBOR"},
		{"text that is no UTF-8", "61ff", "no CBOR"}, {"depth", strings.Repeat("81", 200) + "00", "no CBOR"},
		{"keys that fall together", "a2613101" + "0102", "two keys"},
	} {
		p, _ := hex.DecodeString(e.hex)
		if _, err := ToJSON(p); err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%s: %v; want %q", e.name, err, e.want)
		}
	}
}

// What can be read can be written, and says the same again.
func FuzzToJSON(f *testing.F) {
	for _, e := range examples {
		p, _ := hex.DecodeString(e.hex)
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		text, err := ToJSON(p)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%x is told as %s", p, text)
		}
		again, err := FromJSON(text)
		if err != nil {
			return // a number beyond 64 bits
		}
		if back, err := ToJSON(again); err != nil || !bytes.Equal(back, text) {
			t.Errorf("%s came back as %s, %v", text, back, err)
		}
	})
}
