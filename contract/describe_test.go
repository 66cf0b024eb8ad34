package contract

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", path, got)
	}
}

const everything = `syntax = "proto2";
package e;
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/any.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
// Kind of a thing.
enum Kind {
  SMALL = 0; // fits a hand
  // Does not.
  BIG = 7;
}
// All has one of each.
message All {
  // Name is needed.
  required string name = 1;
  optional int64 id = 2; // unique
  repeated Kind kinds = 3;
  map<int64, Inner> inners = 4;
  map<bool, bytes> flags = 5;
  oneof pick { string left = 6; All right = 7; }
  message Inner { optional double d = 1; optional fixed64 f = 2; optional All back = 3; repeated Inner more = 4; }
  optional google.protobuf.Timestamp at = 8;
  optional google.protobuf.Any any = 9;
  optional google.protobuf.Struct free = 10;
  optional google.protobuf.Value value = 11;
  optional google.protobuf.UInt64Value big = 12;
  optional google.protobuf.NullValue nil = 13;
  optional bool ok = 14;
  optional group Old = 15 { optional int32 x = 1; }
}
// Things keeps things.
service Things {
  // Put one.
  rpc Put(All) returns (All.Inner) { option (google.api.http) = { put: "/things/{name}" body: "*" additional_bindings { post: "/things" body: "*" } }; }
  rpc Watch(stream All) returns (stream All); // for ever
}
`

func TestDescribe(t *testing.T) {
	c := fromText(t, "e.proto", map[string]string{"e.proto": everything})
	for _, k := range []struct{ symbol, file string }{
		{"e.Things", "service.golden"},
		{"e.Things.Put", "method.golden"},
		{"e.Things/Watch", "stream.golden"},
		{"e.All", "message.golden"},
		{"e.Kind", "enum.golden"},
		{"e.All.name", "field.golden"},
		{"google.protobuf.Duration", "wellknown.golden"},
	} {
		t.Run(k.symbol, func(t *testing.T) {
			text, err := c.Describe(k.symbol)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, k.file, text)
		})
	}
}

func TestDescribeWhatIsNotThere(t *testing.T) {
	c := fromText(t, "e.proto", map[string]string{"e.proto": everything})
	for _, k := range []struct{ name, symbol, kind, nearest string }{
		{"a service misspelt", "e.Thinks", "symbol", "e.Things"},
		{"a message misspelt", "e.Al", "symbol", "e.All"},
		{"a method misspelt", "e.Things.Putt", "method", "Put"},
		{"a method misspelt, with a slash", "/e.Things/Wach", "method", "Watch"},
		{"nothing like it", "some.thing.Else", "symbol", ""},
	} {
		t.Run(k.name, func(t *testing.T) {
			_, err := c.Describe(k.symbol)
			var e *UnknownError
			if !errors.As(err, &e) || e.Kind != k.kind || e.Nearest != k.nearest {
				t.Errorf("got %v, want an unknown %s near %q", err, k.kind, k.nearest)
			}
		})
	}
}

// A template is for editing: it must be a message that can be sent as it is.
func TestTemplatesEncode(t *testing.T) {
	for _, k := range []struct{ file, text, method string }{
		{"e.proto", everything, "e.Things/Put"},
		{"t.proto", testProto, "t.Svc/Echo"},
		{"w.proto", wellKnownProto, "w.W/Nested"},
		{"w.proto", wellKnownProto, "w.W/Time"},
		{"w.proto", wellKnownProto, "w.W/List"},
		{"o.proto", orderProto, "o.S/Place"},
		{"r.proto", restProto, "r.S/Get"},
	} {
		t.Run(k.method, func(t *testing.T) {
			m := method(t, fromText(t, k.file, map[string]string{k.file: k.text}), k.method)
			if _, err := m.Encode("protobuf", m.Template(), EncodeOptions{}); err != nil {
				t.Errorf("%s\n%v", m.Template(), err)
			}
		})
	}
}

func TestMethodNames(t *testing.T) {
	c := fromText(t, "t.proto", map[string]string{"t.proto": testProto})
	for _, k := range []struct{ name, method, shape string }{
		{"slash", "t.Svc/Echo", "unary"}, {"leading slash", "/t.Svc/Stream", "server stream"},
		{"dots", "t.Svc.Up", "client stream"}, {"bidi", "t.Svc/BidiEcho", "bidi"},
	} {
		t.Run(k.name, func(t *testing.T) {
			m := method(t, c, k.method)
			if m.Shape.String() != k.shape {
				t.Errorf("shape %s, want %s", m.Shape, k.shape)
			}
		})
	}
	for _, k := range []struct{ name, method, want string }{
		{"no method", "t.Svc/", "expected package.Service/Method"},
		{"one word", "Echo", "expected package.Service/Method"},
		{"empty", "", "expected package.Service/Method"},
		{"too many slashes", "a/t.Svc/Echo", "expected package.Service/Method"},
		{"a message", "t.M/Echo", `t.M is a message, not a service`},
		{"without the package", "Svc/Echo", `did you mean "t.Svc"`},
		{"wrong case", "t.svc/echo", `did you mean "t.Svc"`},
		{"a wrong method", "t.Svc/Ecko", `did you mean "Echo"`},
	} {
		t.Run(k.name, func(t *testing.T) {
			if _, err := c.Method(k.method); err == nil || !contains(err, k.want) {
				t.Errorf("got %v, want %q", err, k.want)
			}
		})
	}
}
