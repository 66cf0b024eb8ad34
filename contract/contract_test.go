package contract

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"
	"testing/fstest"
)

const testProto = `syntax = "proto3";
package t;
// M has a field of every kind that once went wrong somewhere.
message M {
  int64 id = 1; string s = 2; double d = 3; bytes b = 4; map<string,int64> m = 5;
  repeated uint64 u = 6; bool ok = 7; oneof o { string x = 8; int32 y = 9; } map<int64,string> k = 10;
}
service Svc {
  rpc Echo(M) returns (M);            // at once
  rpc Slow(M) returns (M);            // after 100 ms
  rpc Half(M) returns (M);            // every second call received: INTERNAL after 200 ms; the others at once
  rpc Fail(M) returns (M);            // INTERNAL at once
  rpc Hang(M) returns (M);            // never answers
  rpc Stream(M) returns (stream M);   // 10 messages
  rpc Up(stream M) returns (M);
  rpc BidiEcho(stream M) returns (stream M);
}
`

// fromText loads a contract from sources by file name; the first name is the file asked for.
func fromText(t testing.TB, first string, files map[string]string) *Contract {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := Load(context.Background(), Source{Files: []string{first}, FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func method(t testing.TB, c *Contract, name string) *Method {
	t.Helper()
	m, err := c.Method(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unhex reads hexadecimal text with spaces.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }
