package contract

import (
	"errors"
	"strings"
	"testing"
)

const restProto = `syntax = "proto3";
package r;
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/field_mask.proto";
enum Kind { ANY = 0; BIG = 1; }
message Sub { string id = 1; int32 depth = 2; Sub sub = 3; }
message Q {
  string name = 1; Sub sub = 2; int64 page_size = 3; repeated string tag = 4; Kind kind = 5; bytes raw = 6;
  google.protobuf.Timestamp since = 7; google.protobuf.Int64Value limit = 8; repeated Sub subs = 9; map<string,string> m = 10;
  google.protobuf.FieldMask mask = 11; bool ok = 12;
}
message R { repeated Sub items = 1; string next = 2; }
service S {
  rpc Get(Q) returns (R) { option (google.api.http) = { get: "/v1/things/{name}" }; }
  rpc Deep(Q) returns (R) { option (google.api.http) = { get: "/v1/{sub.id}/{sub.depth}/x" }; }
  rpc Multi(Q) returns (R) { option (google.api.http) = { get: "/v1/{name=shelves/*/books/*}:read" }; }
  rpc Rest(Q) returns (R) { option (google.api.http) = { get: "/files/{name=**}" }; }
  rpc Post(Q) returns (R) { option (google.api.http) = { post: "/v1/things" body: "*" }; }
  rpc Put(Q) returns (R) { option (google.api.http) = { put: "/v1/things/{name}" body: "*" }; }
  rpc Patch(Q) returns (R) { option (google.api.http) = { patch: "/v1/things/{name}" body: "sub" }; }
  rpc Many(Q) returns (R) { option (google.api.http) = { post: "/v1/many" body: "subs" response_body: "items" }; }
  rpc Del(Q) returns (R) { option (google.api.http) = { delete: "/v1/{ok}/{kind}" }; }
  rpc Head(Q) returns (R) { option (google.api.http) = { custom: { kind: "HEAD" path: "/v1/h" } }; }
  rpc Two(Q) returns (R) { option (google.api.http) = { get: "/v1/u/{sub.id}/things/{name}" additional_bindings { get: "/v1/things/{name}" } }; }
  rpc Plain(Q) returns (R);
  rpc Wrong(Q) returns (R) { option (google.api.http) = { get: "/v1/{nope}" }; }
  rpc Broken(Q) returns (R) { option (google.api.http) = { get: "/v1/{name" }; }
}
`

func TestREST(t *testing.T) {
	k := fromText(t, "r.proto", map[string]string{"r.proto": restProto})
	for _, c := range []struct {
		name, method, json string
		want               string // verb, path and body
		err                string
	}{
		{"a field in the path, the rest in the query", "Get", `{"name":"a/b c?","pageSize":"9007199254740993","tag":["x","y&z"],"kind":"BIG"}`,
			"GET /v1/things/a%2Fb%20c%3F?kind=BIG&pageSize=9007199254740993&tag=x&tag=y%26z", ""},
		{"well-known types in the query", "Get", `{"name":"n","since":"2020-01-22T02:30:30Z","limit":"5","mask":"a,b","raw":"+/8="}`,
			"GET /v1/things/n?limit=5&mask=a%2Cb&raw=%2B%2F8%3D&since=2020-01-22T02%3A30%3A30Z", ""},
		{"nested fields in the query", "Get", `{"name":"n","sub":{"id":"i","sub":{"depth":2}}}`, "GET /v1/things/n?sub.id=i&sub.sub.depth=2", ""},
		{"nested fields in the path", "Deep", `{"sub":{"id":"i","depth":3},"ok":true}`, "GET /v1/i/3/x?ok=true", ""},
		{"a number left out stands as its default", "Deep", `{"sub":{"id":"i"}}`, "GET /v1/i/0/x", ""},
		{"several segments and a verb", "Multi", `{"name":"shelves/a b/books/2"}`, "GET /v1/shelves/a%20b/books/2:read", ""},
		{"segments that do not match", "Multi", `{"name":"shelves/1"}`, "", `the path wants shelves/*/books/*`},
		{"any number of segments", "Rest", `{"name":"a/b/c.txt"}`, "GET /files/a/b/c.txt", ""},
		{"the whole message in the body", "Post", `{"name":"n","page_size":1}`, `POST /v1/things {"name":"n","pageSize":"1"}`, ""},
		{"an empty message in the body", "Post", `{}`, `POST /v1/things {}`, ""},
		{"the body without the fields of the path", "Put", `{"name":"n","pageSize":1}`, `PUT /v1/things/n {"pageSize":"1"}`, ""},
		{"one field in the body", "Patch", `{"name":"n","sub":{"id":"i"},"ok":true}`, `PATCH /v1/things/n?ok=true {"id":"i"}`, ""},
		{"one field in the body, not set", "Patch", `{"name":"n"}`, `PATCH /v1/things/n {}`, ""},
		{"a list in the body", "Many", `{"subs":[{"id":"1"},{"id":"2"}]}`, `POST /v1/many [{"id":"1"},{"id":"2"}]`, ""},
		{"a bool and an enum in the path", "Del", `{"ok":true,"kind":"BIG"}`, "DELETE /v1/true/BIG", ""},
		{"a bool and an enum left out", "Del", `{}`, "DELETE /v1/false/ANY", ""},
		{"a method of its own", "Head", `{}`, "HEAD /v1/h", ""},
		{"the main binding", "Two", `{"name":"n","sub":{"id":"i"}}`, "GET /v1/u/i/things/n", ""},
		{"an additional binding", "Two", `{"name":"n","ok":true}`, "GET /v1/things/n?ok=true", ""},
		{"a path that cannot be filled", "Get", `{}`, "", `the path needs the field "name"`},
		{"a map has no place", "Get", `{"name":"n","m":{"a":"b"}}`, "", `the field "m" (map<string, string>)`},
		{"a list of messages has no place", "Get", `{"name":"n","subs":[{"id":"1"}]}`, "", `the field "subs" (repeated r.Sub)`},
		{"no annotation", "Plain", `{}`, "", "no google.api.http annotation"},
		{"an annotation with an unknown field", "Wrong", `{}`, "", `the path names the field "nope"`},
		{"an annotation that cannot be read", "Broken", `{"name":"n"}`, "", `a { without }`},
		{"a message that does not fit", "Get", `{"nam":1}`, "", `unknown field "nam"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := method(t, k, "r.S/"+c.method)
			verb, path, body, hasBody, err := m.REST([]byte(c.json))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want %q", err, c.err)
				}
				return
			}
			got := verb + " " + path
			if hasBody {
				got += " " + string(body)
			}
			if err != nil || got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
	var none *NoRESTError
	if _, _, _, _, err := method(t, k, "r.S/Plain").REST([]byte("{}")); !errors.As(err, &none) {
		t.Errorf("got %v, want a NoRESTError", err)
	}
}

func TestResponseBody(t *testing.T) {
	m := method(t, fromText(t, "r.proto", map[string]string{"r.proto": restProto}), "r.S/Many")
	whole, err := m.Encode("protobuf", []byte(`{}`), EncodeOptions{})
	if err != nil || len(whole) != 0 {
		t.Fatal(whole, err)
	}
	got, err := m.Canonical("json", []byte(`[{"id":"1"}]`), true)
	if err != nil || string(got) != "\x0a\x03\x0a\x011" {
		t.Errorf("% x (%v), want the list as field items", got, err)
	}
}

func FuzzPathTemplate(f *testing.F) {
	for _, s := range []string{"/v1/{a}", "/v1/{a=b/*/c/**}:d", "/{", "/{}", "/{a=}", "/*/b", "x"} {
		f.Add(s, "a/b")
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		p, err := parseTemplate(template)
		if err != nil {
			return
		}
		path, err := p.fill(func(string) (string, error) { return value, nil })
		if err == nil && !strings.HasPrefix(path, "/") && len(p.variables()) == 0 {
			t.Errorf("%q gives %q", template, path)
		}
	})
}
