package contract

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

func TestStatusDetails(t *testing.T) {
	info, err := anypb.New(&errdetails.ErrorInfo{Reason: "GONE", Domain: "shop.test"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(&spb.Status{Code: 5, Message: "no", Details: []*anypb.Any{
		info,
		{TypeUrl: "type.googleapis.com/o.Line", Value: []byte{0x10, 7}},
		{TypeUrl: "type.googleapis.com/x.Unknown", Value: []byte{1, 2}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := method(t, fromText(t, "o.proto", map[string]string{"o.proto": orderProto}), "o.S/Place")
	got, err := StatusDetails(m, raw)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ kind, text string }{
		{"google.rpc.ErrorInfo", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE","domain":"shop.test"}`},
		{"o.Line", `{"@type":"type.googleapis.com/o.Line","quantity":7}`},
		{"x.Unknown", `{"@type":"type.googleapis.com/x.Unknown","value":"AQI="}`},
	}
	if len(got) != len(want) {
		t.Fatalf("%d details, want %d", len(got), len(want))
	}
	for i, w := range want {
		if string(got[i]) != w.text || DetailType(got[i]) != w.kind {
			t.Errorf("detail %d: %s %s, want %s %s", i, DetailType(got[i]), got[i], w.kind, w.text)
		}
	}
	if got, err := StatusDetails(nil, raw); err != nil || len(got) != 3 {
		t.Errorf("without a contract: %s (%v)", got, err)
	}
	if _, err := StatusDetails(nil, []byte{0xff}); err == nil {
		t.Error("garbage passed for a status")
	}
}
