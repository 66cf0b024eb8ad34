package contract

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// StatusDetails reads the details of a failed gRPC call (the google.rpc.Status in grpc-status-details-bin) as one
// JSON message each, with its type under "@type". A detail whose type nobody knows keeps its bytes as base64
// under "value". m may be nil when there is no contract.
func StatusDetails(m *Method, raw []byte) ([]json.RawMessage, error) {
	s := new(spb.Status)
	if err := proto.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("status details: %d bytes are no google.rpc.Status: %s", len(raw), plain(err))
	}
	lib := newLibrary()
	if m != nil {
		lib = m.lib
	}
	var all []json.RawMessage
	for _, any := range s.GetDetails() {
		text, err := protojson.MarshalOptions{Resolver: lib, AllowPartial: true}.Marshal(any)
		if err == nil {
			text, err = pretty(text, DecodeOptions{Compact: true})
		}
		if err != nil {
			text, err = json.Marshal(map[string]string{"@type": any.GetTypeUrl(), "value": base64.StdEncoding.EncodeToString(any.GetValue())})
		}
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

// DetailType is the short name of a detail's type: "google.rpc.ErrorInfo".
func DetailType(detail json.RawMessage) string {
	var head struct {
		Type string `json:"@type"`
	}
	if json.Unmarshal(detail, &head) != nil {
		return ""
	}
	return head.Type[strings.LastIndexByte(head.Type, '/')+1:]
}
