package metadata

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEntriesOnTheWire(t *testing.T) {
	user, err := Simple("user", "pass")
	if err != nil {
		t.Fatal(err)
	}
	route, _ := AppendTag(nil, "inventory.check")
	types, _ := AppendTypes(nil, "application/json", "application/cbor")
	for _, tt := range []struct {
		name, wire string
		mime       string
		named      bool
		data       []byte
	}{
		{"a route", "fe 000010 0f 696e76656e746f72792e636865636b", Routing, false, route},
		{"a name of its own", "07 746578742f782e61 000002 6869", "text/x.a", false, []byte("hi")},
		{"user and password", "fc 00000b 80 0004 75736572 70617373", Authentication, false, user},
		{"a token", "fc 000004 81 746f6b", Authentication, false, Bearer("tok")},
		{"user and password under a name, as Spring writes it", "22 6d6573736167652f782e72736f636b65742e61757468656e7469636174696f6e2e7630 00000b 80 0004 75736572 70617373", Authentication, true, user},
		{"the MIME type of one message", "fa 000001 85", MIMEType, false, types[:1]},
		{"a list of MIME types", "fb 000002 85 81", AcceptTypes, false, types},
		{"no bytes", "fe 000000", Routing, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wire := unhex(t, tt.wire)
			write := Append
			if tt.named {
				write = AppendNamed
			}
			got, err := write(nil, tt.mime, tt.data)
			if err != nil || !bytes.Equal(got, wire) {
				t.Errorf("encodes as %x, %v; expected %x", got, err, wire)
			}
			e, rest, err := Cut(append(wire, 0xfe))
			if err != nil || e.MIME != tt.mime || !bytes.Equal(e.Data, tt.data) || len(rest) != 1 {
				t.Errorf("decodes as %+v, %d bytes behind it, %v", e, len(rest), err)
			}
			if (e.ID < 0) != (wire[0] < 0x80) {
				t.Errorf("id %d of %x", e.ID, wire[0])
			}
		})
	}
}

// rsocket-java#810: an encoder that wrote the length of a name and not the length less one.
func TestNameWithItsPlainLength(t *testing.T) {
	p := unhex(t, "fe 000016 15 73747564656e742e76312e6e6f6f702e68656c6c6f 2a 6d6573736167652f782e72736f636b65742e61757468656e7469636174696f6e2e6265617265722e7630 000016 7465737420756e6b6e6f776e206d696d652074797065")
	entries, err := Entries(p)
	if !errors.Is(err, ErrMalformed) {
		t.Errorf("read as %+v, %v; expected it to be refused", entries, err)
	}
	if len(entries) != 1 || entries[0].MIME != Routing {
		t.Errorf("before it: %+v; expected the route", entries)
	}
}

func TestRoute(t *testing.T) {
	for _, tt := range []struct {
		name, wire, route string
		found, malformed  bool
	}{
		{"compact", "fe 000005 04 6563686f", "echo", true, false},
		{"under its name", "1b 6d6573736167652f782e72736f636b65742e726f7574696e672e7630 000005 04 6563686f", "echo", true, false},
		{"the first of two tags", "fe 000007 04 6563686f 01 78", "echo", true, false},
		{"behind another entry", "fc 000004 81 746f6b fe 000005 04 6563686f", "echo", true, false},
		{"an empty tag", "fe 000001 00", "", true, false},
		{"no entry", "fc 000004 81 746f6b", "", false, false},
		{"nothing", "", "", false, false},
		{"no length before the tag", "fe 000004 6563686f", "", false, true},
		{"not composite at all", "04 6563686f", "", false, true},
		{"an entry beyond the end", "fe 000006 04 6563686f", "", false, true},
		{"a length that is cut off", "fe 0000", "", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			route, found, err := Route(unhex(t, tt.wire))
			if route != tt.route || found != tt.found || errors.Is(err, ErrMalformed) != tt.malformed {
				t.Errorf("got %q, %v, %v", route, found, err)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	for _, tt := range []struct {
		name, wire string
		want       Credentials
		malformed  bool
	}{
		{"simple", "80 0004 75736572 70617373", Credentials{Kind: "simple", User: "user", Password: "pass"}, false},
		{"bearer", "81 746f6b", Credentials{Kind: "bearer", Token: "tok"}, false},
		{"simple under its name", "05 73696d706c65 0001 75 70", Credentials{Kind: "simple", User: "u", Password: "p"}, false},
		{"another number", "85 61", Credentials{Kind: "0x05", Token: "a"}, false},
		{"another name", "01 6162 63", Credentials{Kind: "ab", Token: "c"}, false},
		{"nothing", "", Credentials{}, true},
		{"no user", "80 00", Credentials{}, true},
		{"a user beyond the end", "80 0009 61", Credentials{}, true},
		{"a name beyond the end", "09 61", Credentials{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadCredentials(unhex(t, tt.wire))
			if got != tt.want || errors.Is(err, ErrMalformed) != tt.malformed {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestWhatCannotBeSaid(t *testing.T) {
	long := strings.Repeat("a", 70_000)
	for name, err := range map[string]error{
		"a name of 129 bytes":  second(Append(nil, long[:129], nil)),
		"an empty name":        second(Append(nil, "", nil)),
		"a route of 256 bytes": second(AppendTag(nil, long[:256])),
		"a user of 70 kB":      second(Simple(long, "")),
		"a list with no name":  second(AppendTypes(nil, "application/json", "")),
		"an entry of 16 MiB":   second(Append(nil, Routing, make([]byte, 1<<24))),
	} {
		if !errors.Is(err, ErrLong) {
			t.Errorf("%s: %v; expected it to be refused", name, err)
		}
	}
	if _, err := Append(nil, long[:128], nil); err != nil {
		t.Errorf("a name of 128 bytes: %v", err)
	}
}

func second(_ []byte, err error) error { return err }

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		mime string
		id   int
	}{
		{"application/avro", 0x00}, {"application/cbor", 0x01}, {"application/graphql", 0x02}, {"application/gzip", 0x03},
		{"application/json", 0x05}, {"application/octet-stream", 0x06}, {"application/vnd.apache.thrift.binary", 0x08},
		{"application/vnd.google.protobuf", 0x09}, {"application/xml", 0x0a}, {"application/zip", 0x0b}, {"multipart/mixed", 0x1d},
		{"text/plain", 0x21}, {"text/xml", 0x22}, {"application/x-hessian", 0x26}, {"application/x-java-object", 0x27},
		{"application/cloudevents+json", 0x28}, {"application/x-capnp", 0x29}, {"application/x-flatbuffers", 0x2a},
		{MIMEType, 0x7a}, {AcceptTypes, 0x7b}, {Authentication, 0x7c}, {"message/x.rsocket.tracing-zipkin.v0", 0x7d},
		{Routing, 0x7e}, {Composite, 0x7f},
	} {
		if id, ok := ID(tt.mime); !ok || id != tt.id || Name(tt.id) != tt.mime {
			t.Errorf("%s: 0x%02x, %v; 0x%02x is %q", tt.mime, id, ok, tt.id, Name(tt.id))
		}
	}
	if _, ok := ID("text/x.a"); ok || Name(0x50) != "" {
		t.Error("a number for what has none")
	}
}

func FuzzEntries(f *testing.F) {
	f.Add([]byte("\xfe\x00\x00\x05\x04echo\xfc\x00\x00\x04\x81tok"))
	f.Add([]byte("\x07text/x.a\x00\x00\x02hi"))
	f.Fuzz(func(t *testing.T, p []byte) {
		entries, err := Entries(p)
		for _, e := range entries {
			_, _ = Tags(e.Data)
			_, _ = ReadCredentials(e.Data)
			_, _ = Types(e.Data)
		}
		_, _, _ = Route(p)
		if err != nil {
			return
		}
		var again []byte
		for _, e := range entries {
			if e.MIME == "" {
				return // a number that has no name cannot be written
			}
			write := Append
			if e.ID < 0 {
				write = AppendNamed
			}
			if again, err = write(again, e.MIME, e.Data); err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
		}
		if !bytes.Equal(again, p) {
			t.Errorf("%x came back as %x", p, again)
		}
	})
}

func TestTypes(t *testing.T) {
	got, err := Types(unhex(t, "85 d0 01 7878"))
	if want := []string{"application/json", "0x50", "xx"}; !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("got %q, %v; expected %q", got, err, want)
	}
	if _, err := Types([]byte{9, 'a'}); !errors.Is(err, ErrMalformed) {
		t.Errorf("a name beyond the end: %v", err)
	}
}
