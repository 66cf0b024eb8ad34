package cases

import (
	"encoding/hex"
	"fmt"
	"testing"

	"wiregauge/lab/casesvc"
)

// K23: methods whose request and reply are well-known types: the protobuf JSON form both ways.
func TestWellKnownTypesAtTheTop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, file, json, hex string }{
		{"BoolValue", "wrappers", `true`, "08 01"},
		{"BoolValue", "wrappers", `false`, ""},
		{"Int32Value", "wrappers", `1`, "08 01"},
		{"Int64Value", "wrappers", `"9223372036854775807"`, "08 ff ff ff ff ff ff ff ff 7f"},
		{"UInt32Value", "wrappers", `4294967295`, "08 ff ff ff ff 0f"},
		{"UInt64Value", "wrappers", `"18446744073709551615"`, "08 ff ff ff ff ff ff ff ff ff 01"},
		{"FloatValue", "wrappers", `1.5`, "0d 00 00 c0 3f"},
		{"DoubleValue", "wrappers", `1.5`, "09 00 00 00 00 00 00 f8 3f"},
		{"StringValue", "wrappers", `"x"`, "0a 01 78"},
		{"BytesValue", "wrappers", `"AQI="`, "0a 02 01 02"},
		{"Timestamp", "timestamp", `"2020-01-22T02:30:30.010Z"`, "08 c6 e7 9e f1 05 10 80 ad e2 04"},
		{"Duration", "duration", `"40s"`, "08 28"},
		{"Empty", "empty", `{}`, ""},
		{"Struct", "struct", `{"a":1}`, "0a 0e 0a 01 61 12 09 11 00 00 00 00 00 00 f0 3f"},
		{"ListValue", "struct", `[1,"x"]`, "0a 09 11 00 00 00 00 00 00 f0 3f 0a 03 1a 01 78"},
		{"Value", "struct", `null`, "08 00"},
		{"FieldMask", "field_mask", `"userId,name"`, "0a 07 75 73 65 72 5f 69 64 0a 04 6e 61 6d 65"},
	} {
		t.Run(c.kind+" "+c.json, func(t *testing.T) {
			t.Parallel()
			s := svc(t, casesvc.Options{})
			contract := written(t, "known.proto", fmt.Sprintf(`syntax = "proto3";
package t;
import "google/protobuf/%s.proto";
service Svc { rpc Echo(google.protobuf.%s) returns (google.protobuf.%[2]s); }
`, c.file, c.kind))
			for _, w := range everyWay {
				want, args := c.hex, []string{"--proto", contract, "-d", c.json, "--client", w.client}
				if w.scheme != "grpc" {
					args = append(args, "--call", "t.Svc/Echo")
					want = hex.EncodeToString([]byte(c.json))
				}
				s.Reset()
				got := wg(t, "", append([]string{"call", s.URL(w.scheme, "Echo")}, args...)...)
				if got.code != exitOK {
					t.Errorf("call over %s: exit %d\n%s", w, got.code, got.stderr)
				}
				sameJSON(t, "call over "+w.String(), got.stdout, c.json)
				if w.client == "stack" {
					received(t, s, w.String(), want)
					continue
				}
				got = wg(t, "", append([]string{"run", s.URL(w.scheme, "Echo"), "-n", "2"}, args...)...)
				if got.code != exitOK || s.Calls("Echo") != 3 {
					t.Errorf("run over %s: exit %d, %d calls\n%s", w, got.code, s.Calls("Echo"), got.stderr)
				}
				received(t, s, w.String(), want)
			}
		})
	}
}
