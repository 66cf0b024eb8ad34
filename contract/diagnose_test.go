package contract

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const orderProto = `syntax = "proto3";
package o;
import "google/protobuf/any.proto";
import "google/protobuf/struct.proto";
enum Color { RED = 0; GREEN = 1; }
message Line { string sku = 1; int32 quantity = 2; Line part = 3; }
message Order {
  string order_id = 1; repeated Line lines = 2; map<string, Line> by_name = 3; google.protobuf.Any extra = 4;
  google.protobuf.Struct free = 5; Color color = 6; oneof pay { string card = 7; string cash = 8; }
  map<string, int64> counts = 9; map<int64, string> names = 10; repeated uint64 many = 11;
}
message Empty {}
service S { rpc Place(Order) returns (Order); rpc None(Empty) returns (Empty); }
`

func TestUnknownFields(t *testing.T) {
	k := fromText(t, "o.proto", map[string]string{"o.proto": orderProto})
	lineFields := []string{"sku (string)", "quantity (int32)", "part (o.Line)"}
	for _, c := range []struct {
		name, method, json      string
		line, column            int
		field, message, nearest string
		fields                  []string
	}{
		{"at the top", "o.S/Place", `{"orderIdd":"1"}`, 1, 2, "orderIdd", "o.Order", "orderId",
			[]string{"orderId (string)", "lines (repeated o.Line)", "byName (map<string, o.Line>)", "extra (google.protobuf.Any)",
				"free (google.protobuf.Struct)", "color (o.Color)", "card (string)", "cash (string)",
				"counts (map<string, int64>)", "names (map<int64, string>)", "many (repeated uint64)"}},
		{"in a list, on another line", "o.S/Place", "{\"lines\": [{\"sku\":\"a\"},\n  {\"skuu\":\"b\"}]}", 2, 4, "skuu", "o.Line", "sku", lineFields},
		{"in a map", "o.S/Place", `{"byName":{"skuu":{"sku":"1"},"b":{"quantitiy":1}}}`, 1, 36, "quantitiy", "o.Line", "quantity", lineFields},
		{"in a message within itself", "o.S/Place", `{"lines":[{"part":{"part":{"zzzzzzzz":1}}}]}`, 1, 28, "zzzzzzzz", "o.Line", "", lineFields},
		{"behind a free struct", "o.S/Place", `{"free":{"skuu":[{"a":1}]},"cart":"1"}`, 1, 28, "cart", "o.Order", "card", nil},
		{"in an Any", "o.S/Place", `{"extra":{"@type":"x/o.Line","skuu":"1"}}`, 1, 30, "skuu", "o.Line", "sku", lineFields},
		{"in an Any whose type comes last", "o.S/Place", `{"extra":{"skuu":"1","@type":"x/o.Line"}}`, 1, 11, "skuu", "o.Line", "sku", lineFields},
		{"in a message without fields", "o.S/None", `{"a":1}`, 1, 2, "a", "o.Empty", "", nil},
		{"after letters of several bytes", "o.S/Place", `{"card":"äöü","skuu":1}`, 1, 15, "skuu", "o.Order", "", nil},
		{"behind a byte order mark", "o.S/Place", "\xef\xbb\xbf{\"crad\":1}", 1, 2, "crad", "o.Order", "card", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := method(t, k, c.method)
			_, err := m.Encode("protobuf", []byte(c.json), EncodeOptions{})
			var e *DataError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a DataError", err)
			}
			if e.Line != c.line || e.Column != c.column || e.Field != c.field || e.Message != c.message || e.Nearest != c.nearest {
				t.Errorf("got %+v", *e)
			}
			if c.fields != nil && !slices.Equal(e.Fields, c.fields) {
				t.Errorf("fields %q, want %q", e.Fields, c.fields)
			}
			if _, err := m.Encode("protobuf", []byte(c.json), EncodeOptions{AllowUnknown: true}); err != nil {
				t.Errorf("with unknown fields allowed: %v", err)
			}
		})
	}
}

func TestDataThatDoesNotFit(t *testing.T) {
	m := method(t, fromText(t, "o.proto", map[string]string{"o.proto": orderProto}), "o.S/Place")
	for _, c := range []struct {
		name, json   string
		line, column int
		text         string
	}{
		{"a number for a string", `{"orderId": 7}`, 1, 13, "orderId"},
		{"the value in a map", `{"counts":{"a":1,"b":1.5}}`, 1, 22, "1.5 (at counts.b)"},
		{"a key of a map", `{"names":{"5":"x","5.5":"y"}}`, 1, 19, `"5.5" (at names["5.5"])`},
		{"the third of a list", `{"many":[1,2,-1]}`, 1, 14, "field many: -1 (at many[2])"},
		{"deep in lists of messages", "{\"lines\":[{},{\"part\":\n {\"quantity\":2147483648}}]}", 2, 14, "quantity: 2147483648 (at lines[1].part.quantity)"},
		{"an unknown enum value", `{"color":"BLUE"}`, 1, 10, `"BLUE"`},
		{"two members of a oneof", "{\"card\":\"1\",\n\"cash\":\"2\"}", 2, 1, "o.Order.pay"},
		{"the same field twice", `{"card":"1","card":"2"}`, 1, 13, "duplicate"},
		{"a list for a message", `[]`, 1, 1, "["},
		{"cut off", `{"card":`, 1, 9, "ends too early"},
		{"text behind the message", `{} x`, 1, 4, "x"},
		{"nothing", ``, 1, 1, "unexpected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := m.Encode("protobuf", []byte(c.json), EncodeOptions{})
			var e *DataError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a DataError", err)
			}
			if e.Line != c.line || e.Column != c.column || !strings.Contains(e.Text, c.text) || strings.Contains(e.Error(), "proto:") {
				t.Errorf("got %v (line %d, column %d), want line %d, column %d and %q", err, e.Line, e.Column, c.line, c.column, c.text)
			}
		})
	}
}

func TestCodecs(t *testing.T) {
	m := method(t, fromText(t, "o.proto", map[string]string{"o.proto": orderProto}), "o.S/Place")
	for _, c := range []struct{ codec, want string }{
		{"hessian", "not in this version"}, {"xml", "unknown codec"},
	} {
		if _, err := m.Encode(c.codec, []byte("{}"), EncodeOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("encode as %s: %v, want %q", c.codec, err, c.want)
		}
		if _, err := m.Decode(c.codec, []byte("{}"), true, DecodeOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("decode as %s: %v, want %q", c.codec, err, c.want)
		}
	}
	if got, err := m.Encode("binary", []byte("\x00\x01"), EncodeOptions{}); err != nil || string(got) != "\x00\x01" {
		t.Errorf("binary: %q (%v)", got, err)
	}
	if got, err := m.Encode("json", []byte(`{ "order_id" : "1", "lines":[{"quantity":1.0}] }`), EncodeOptions{}); err != nil ||
		string(got) != `{"orderId":"1","lines":[{"quantity":1}]}` {
		t.Errorf("json: %s (%v)", got, err)
	}
	if got, err := m.Decode("json", []byte(`{"zzz":1,"card":"a"}`), true, DecodeOptions{}); err != nil || string(got) != "{\n  \"zzz\": 1,\n  \"card\": \"a\"\n}" {
		t.Errorf("a JSON reply keeps what it has: %s (%v)", got, err)
	}
	if _, err := m.Decode("json", []byte(`<html>`), true, DecodeOptions{}); err == nil {
		t.Error("HTML passed for JSON")
	}
	if _, err := m.Decode("protobuf", []byte{0x0a, 5, 1}, true, DecodeOptions{}); err == nil || !strings.Contains(err.Error(), "o.Order") {
		t.Errorf("bytes cut off: %v", err)
	}
	none := method(t, fromText(t, "o.proto", map[string]string{"o.proto": "syntax=\"proto3\"; package o; message M { int64 a=1; repeated string b=2; } service S { rpc Q(M) returns (M); }"}), "o.S/Q")
	if got, err := none.Decode("protobuf", nil, true, DecodeOptions{EmitDefaults: true, Compact: true}); err != nil || string(got) != `{"a":"0","b":[]}` {
		t.Errorf("defaults: %s (%v)", got, err)
	}
	if got, err := none.Decode("json", []byte("{}"), true, DecodeOptions{EmitDefaults: true, Compact: true}); err != nil || string(got) != `{"a":"0","b":[]}` {
		t.Errorf("defaults of JSON: %s (%v)", got, err)
	}
}

func FuzzEncode(f *testing.F) {
	k := fromText(f, "t.proto", map[string]string{"t.proto": testProto})
	m := method(f, k, "t.Svc/Echo")
	for _, c := range integers {
		f.Add([]byte(c.json))
	}
	for _, s := range []string{`{"b":"-_=="}`, `{"zz":[{"a":{}}]}`, `{"x":"1","y":2}`, `{"d":"NaN"}`, `{"m":{"a":{"b":1}}}`, `[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		wire, err := m.Encode("protobuf", text, EncodeOptions{})
		if err != nil {
			var e *DataError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a DataError", err)
			}
			return
		}
		back, err := m.Decode("protobuf", wire, false, DecodeOptions{})
		if err != nil {
			t.Fatalf("% x does not decode: %v", wire, err)
		}
		again, err := m.Encode("protobuf", back, EncodeOptions{})
		if err != nil || string(again) != string(wire) {
			t.Fatalf("%s: % x, again % x (%v)", text, wire, again, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	k := fromText(f, "o.proto", map[string]string{"o.proto": orderProto})
	m := method(f, k, "o.S/Place")
	f.Add([]byte{0x0a, 1, 'x'})
	f.Add([]byte{0x22, 4, 0x0a, 2, 'x', '/'})
	f.Fuzz(func(t *testing.T, wire []byte) {
		if _, err := m.Canonical("protobuf", wire, true); err != nil {
			return
		}
		back, err := m.Decode("protobuf", wire, true, DecodeOptions{})
		if err != nil {
			return // an Any of a type that nobody knows has no JSON
		}
		if _, err := m.Canonical("json", back, true); err != nil {
			t.Fatalf("%s does not encode: %v", back, err)
		}
	})
}
