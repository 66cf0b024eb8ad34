package contract

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// The bytes come from the case list (K03) or were worked out by hand from the wire format.
var integers = []struct{ name, json, wire string }{
	{"a number that a float rounds", `{"id": 1000000000000000089}`, "08 d9 80 90 bb ba d6 ad f0 0d"},
	{"a negative number", `{"id": -1472264933949945808}`, "08 b0 90 99 e5 fc da dd c8 eb 01"},
	{"the largest int64", `{"id": 9223372036854775807}`, "08 ff ff ff ff ff ff ff ff 7f"},
	{"the smallest int64", `{"id": -9223372036854775808}`, "08 80 80 80 80 80 80 80 80 80 01"},
	{"an exponent", `{"id": 1e18}`, "08 80 80 90 bb ba d6 ad f0 0d"},
	{"a fraction that is none", `{"id": 1000000000000000089.0}`, "08 d9 80 90 bb ba d6 ad f0 0d"},
	{"the largest uint64, repeated", `{"u": [18446744073709551615]}`, "32 0a ff ff ff ff ff ff ff ff ff 01"},
	{"a map's value", `{"m": {"k": 9223372036854775807}}`, "2a 0d 0a 01 6b 10 ff ff ff ff ff ff ff ff 7f"},
	{"a map's key", `{"k": {"9223372036854775807": "v"}}`, "52 0d 08 ff ff ff ff ff ff ff ff 7f 12 01 76"},
	{"a string", `{"id": "1000000000000000089"}`, "08 d9 80 90 bb ba d6 ad f0 0d"},
	{"a string in a list", `{"u": ["18446744073709551615", 1]}`, "32 0b ff ff ff ff ff ff ff ff ff 01 01"},
}

func TestIntegersAreExact(t *testing.T) {
	m := method(t, fromText(t, "t.proto", map[string]string{"t.proto": testProto}), "t.Svc/Echo")
	for _, c := range integers {
		t.Run(c.name, func(t *testing.T) {
			want := unhex(t, c.wire)
			for how, data := range map[string]string{
				"alone": c.json, "in a list": "[" + c.json + "]", "after another": "{} " + c.json,
			} {
				all, err := m.Split([]byte(data))
				if err != nil {
					t.Fatal(err)
				}
				got, err := m.Encode("protobuf", all[len(all)-1], EncodeOptions{})
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: % x, want % x", how, got, want)
				}
			}
			back, err := m.Decode("protobuf", want, false, DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := m.Encode("protobuf", back, EncodeOptions{})
			if err != nil || !bytes.Equal(again, want) {
				t.Errorf("there and back: % x (%v), want % x", again, err, want)
			}
		})
	}
}

func TestIntegersOutOfRangeAreRefused(t *testing.T) {
	m := method(t, fromText(t, "t.proto", map[string]string{"t.proto": testProto}), "t.Svc/Echo")
	for _, c := range []struct{ name, json, field string }{
		{"above int64", `{"id": 9223372036854775808}`, "id"},
		{"above uint64", `{"u": [18446744073709551616]}`, "u"},
		{"a negative unsigned", `{"u": [-1]}`, "u"},
		{"a fraction", `{"id": 1.5}`, "id"},
		{"a huge exponent", `{"id": 1e19}`, "id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := m.Encode("protobuf", []byte(c.json), EncodeOptions{})
			var e *DataError
			if !errors.As(err, &e) || e.Line != 1 || e.Column < 7 || !strings.Contains(e.Text, "field "+c.field) {
				t.Errorf("got %v, want a refusal with its place that names field %s", err, c.field)
			}
		})
	}
}

func TestBytesInEveryAlphabet(t *testing.T) {
	m := method(t, fromText(t, "t.proto", map[string]string{"t.proto": testProto}), "t.Svc/Echo")
	for _, c := range []struct{ name, json, wire string }{
		{"standard, padded", `{"b": "+/+/+w=="}`, "22 04 fb ff bf fb"},
		{"standard, not padded", `{"b": "+/+/+w"}`, "22 04 fb ff bf fb"},
		{"URL-safe, padded", `{"b": "-_-_-w=="}`, "22 04 fb ff bf fb"},
		{"URL-safe, not padded", `{"b": "-_-_-w"}`, "22 04 fb ff bf fb"},
		{"letters only", `{"b": "AQI="}`, "22 02 01 02"},
		{"empty", `{"b": ""}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := m.Encode("protobuf", []byte(c.json), EncodeOptions{})
			if err != nil || !bytes.Equal(got, unhex(t, c.wire)) {
				t.Errorf("% x (%v), want %s", got, err, c.wire)
			}
		})
	}
}

const wellKnownProto = `syntax = "proto3";
package w;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Nest {
  google.protobuf.BoolValue a = 1; google.protobuf.Int64Value b = 2; google.protobuf.Timestamp c = 3;
  google.protobuf.Duration d = 4; google.protobuf.Struct e = 5; google.protobuf.Value f = 6;
  google.protobuf.FieldMask g = 7; google.protobuf.Any h = 8; google.protobuf.ListValue i = 9;
  google.protobuf.UInt64Value j = 10;
}
service W {
  rpc Bool(google.protobuf.BoolValue) returns (google.protobuf.BoolValue);
  rpc Int32(google.protobuf.Int32Value) returns (google.protobuf.Int32Value);
  rpc Int64(google.protobuf.Int64Value) returns (google.protobuf.Int64Value);
  rpc UInt32(google.protobuf.UInt32Value) returns (google.protobuf.UInt32Value);
  rpc UInt64(google.protobuf.UInt64Value) returns (google.protobuf.UInt64Value);
  rpc Float(google.protobuf.FloatValue) returns (google.protobuf.FloatValue);
  rpc Double(google.protobuf.DoubleValue) returns (google.protobuf.DoubleValue);
  rpc String(google.protobuf.StringValue) returns (google.protobuf.StringValue);
  rpc Bytes(google.protobuf.BytesValue) returns (google.protobuf.BytesValue);
  rpc Time(google.protobuf.Timestamp) returns (google.protobuf.Timestamp);
  rpc Span(google.protobuf.Duration) returns (google.protobuf.Duration);
  rpc None(google.protobuf.Empty) returns (google.protobuf.Empty);
  rpc Struct(google.protobuf.Struct) returns (google.protobuf.Struct);
  rpc List(google.protobuf.ListValue) returns (google.protobuf.ListValue);
  rpc Value(google.protobuf.Value) returns (google.protobuf.Value);
  rpc Mask(google.protobuf.FieldMask) returns (google.protobuf.FieldMask);
  rpc Nested(Nest) returns (Nest);
}
`

// K23. The bytes were worked out by hand from the wire format.
func TestWellKnownTypes(t *testing.T) {
	c := fromText(t, "w.proto", map[string]string{"w.proto": wellKnownProto})
	for _, k := range []struct{ method, json, wire string }{
		{"Bool", `true`, "08 01"},
		{"Bool", `false`, ""},
		{"Int32", `1`, "08 01"},
		{"Int64", `"9223372036854775807"`, "08 ff ff ff ff ff ff ff ff 7f"},
		{"UInt32", `4294967295`, "08 ff ff ff ff 0f"},
		{"UInt64", `"18446744073709551615"`, "08 ff ff ff ff ff ff ff ff ff 01"},
		{"Float", `1.5`, "0d 00 00 c0 3f"},
		{"Double", `1.5`, "09 00 00 00 00 00 00 f8 3f"},
		{"String", `"x"`, "0a 01 78"},
		{"Bytes", `"AQI="`, "0a 02 01 02"},
		{"Time", `"2020-01-22T02:30:30.010Z"`, "08 c6 e7 9e f1 05 10 80 ad e2 04"},
		{"Span", `"40s"`, "08 28"},
		{"None", `{}`, ""},
		{"Struct", `{"a":1}`, "0a 0e 0a 01 61 12 09 11 00 00 00 00 00 00 f0 3f"},
		{"List", `[1,"x"]`, "0a 09 11 00 00 00 00 00 00 f0 3f 0a 03 1a 01 78"},
		{"Value", `null`, "08 00"},
		{"Value", `[1,"x"]`, "32 10 0a 09 11 00 00 00 00 00 00 f0 3f 0a 03 1a 01 78"},
		{"Mask", `"userId,name"`, "0a 07 75 73 65 72 5f 69 64 0a 04 6e 61 6d 65"},
		{"Nested", `{"a":true,"b":"-1","c":"1970-01-01T00:00:01Z","d":"1.500s","j":"5"}`,
			"0a 02 08 01 12 0b 08 ff ff ff ff ff ff ff ff ff 01 1a 02 08 01 22 08 08 01 10 80 ca b5 ee 01 52 02 08 05"},
		{"Nested", `{"f":null,"g":"aB","h":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"}}`,
			"32 02 08 00 3a 05 0a 03 61 5f 62 42 32 0a 2c 74 79 70 65 2e 67 6f 6f 67 6c 65 61 70 69 73 2e 63 6f 6d 2f " +
				"67 6f 6f 67 6c 65 2e 70 72 6f 74 6f 62 75 66 2e 44 75 72 61 74 69 6f 6e 12 02 08 03"},
	} {
		t.Run(k.method+" "+k.json, func(t *testing.T) {
			m := method(t, c, "w.W/"+k.method)
			all, err := m.Split([]byte(k.json))
			if err != nil || len(all) != 1 {
				t.Fatalf("%d messages (%v), want 1", len(all), err)
			}
			wire, err := m.Encode("protobuf", all[0], EncodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(wire, unhex(t, k.wire)) {
				t.Errorf("encoded as % x, want %s", wire, k.wire)
			}
			for _, codec := range []string{"protobuf", "json", "cbor"} {
				body, err := m.Encode(codec, all[0], EncodeOptions{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := m.Decode(codec, body, true, DecodeOptions{Compact: true})
				if err != nil || string(got) != k.json {
					t.Errorf("%s: decoded as %s (%v), want %s", codec, got, err, k.json)
				}
				same, err := m.Canonical(codec, body, true)
				if err != nil || !bytes.Equal(same, wire) {
					t.Errorf("%s: canonical % x (%v), want % x", codec, same, err, wire)
				}
			}
		})
	}
}
