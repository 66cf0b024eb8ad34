package contract

import (
	"encoding/hex"
	"strings"
	"testing"
)

const cborProto = `syntax = "proto3";
package c;
enum Colour { RED = 0; BLUE = 3; }
message Item {
  string sku = 1; int32 qty = 2; uint64 big = 3; bytes raw = 4; float part = 5; double whole = 6;
  Colour colour = 7; repeated int64 many = 8; map<string, int32> by_name = 9; Item inner = 10; bool yes = 11;
}
service S { rpc Check(Item) returns (Item); }
`

func TestMessagesAsCBOR(t *testing.T) {
	m := method(t, fromText(t, "c.proto", map[string]string{"c.proto": cborProto}), "c.S/Check")
	for _, c := range []struct{ name, json, hex string }{
		{"a map of definite length, in the order of the fields", `{"qty":2,"sku":"A1"}`, "a263736b756241316371747902"},
		{"nothing", `{}`, "a0"},
		{"all bits of a number", `{"big":"18446744073709551615"}`, "a163626967" + "1bffffffffffffffff"},
		{"bytes", `{"raw":"AQID"}`, "a163726177" + "43010203"},
		{"floats", `{"part":1.5,"whole":-2.5}`, "a264" + hex.EncodeToString([]byte("part")) + "fa3fc00000" + "65" + hex.EncodeToString([]byte("whole")) + "fbc004000000000000"},
		{"an enum by its name", `{"colour":"BLUE"}`, "a166" + hex.EncodeToString([]byte("colour")) + "64" + hex.EncodeToString([]byte("BLUE"))},
		{"lists, maps and messages", `{"many":["-1","2"],"byName":{"x":7},"inner":{"yes":true}}`,
			"a364" + hex.EncodeToString([]byte("many")) + "822002" + "66" + hex.EncodeToString([]byte("byName")) + "a1617807" + "65" + hex.EncodeToString([]byte("inner")) + "a163796573f5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := m.Encode("cbor", []byte(c.json), EncodeOptions{})
			if err != nil || hex.EncodeToString(body) != c.hex {
				t.Fatalf("%x, %v; want %s", body, err, c.hex)
			}
			want, _ := m.Encode("protobuf", []byte(c.json), EncodeOptions{})
			got, err := m.Canonical("cbor", body, true)
			if err != nil || string(got) != string(want) {
				t.Errorf("the message is %x, %v; want %x", got, err, want)
			}
		})
	}
	if _, err := m.Decode("cbor", []byte("\xa1\x63skx\x01"), true, DecodeOptions{}); err == nil || !strings.Contains(err.Error(), "skx") {
		t.Errorf("an unknown field: %v", err)
	}
	if _, err := m.Encode("cbor", []byte(`{"skx":1}`), EncodeOptions{}); err == nil || !strings.Contains(err.Error(), "skx") {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestDataWithoutAContract(t *testing.T) {
	for _, c := range []struct{ codec, data, body, back string }{
		{"cbor", `{"sku": "A1"}`, "\xa1\x63sku\x62A1", "{\n  \"sku\": \"A1\"\n}"},
		{"json", `{"sku": "A1"}`, `{"sku":"A1"}`, "{\n  \"sku\": \"A1\"\n}"},
		{"text", `{"sku": `, `{"sku": `, `{"sku": `},
		{"binary", "\x00", "\x00", "\x00"},
	} {
		body, err := EncodeFree(c.codec, []byte(c.data))
		if err != nil || string(body) != c.body {
			t.Errorf("%s: %q, %v", c.codec, body, err)
		}
		back, _, err := DecodeFree(c.codec, body, DecodeOptions{})
		if err != nil || string(back) != c.back {
			t.Errorf("%s: back as %q, %v", c.codec, back, err)
		}
	}
	for codec, data := range map[string]string{"cbor": "{", "protobuf": "{}", "xml": "<a/>"} {
		if _, err := EncodeFree(codec, []byte(data)); err == nil {
			t.Errorf("%s took %s", codec, data)
		}
	}
}
