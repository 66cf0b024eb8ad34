package main

import (
	"google.golang.org/protobuf/encoding/protowire"

	"wiregauge"
)

// response is what a ClientResponseResult says.
type response struct {
	header, trailer []wiregauge.Field
	payloads        [][]byte // ConformancePayload messages as they came
	code            int      // 0 for success
	message         string
	details         [][]byte // google.protobuf.Any messages as they came
	unsent          int
}

// encode makes the ClientCompatResponse: the result, or why the call could not be made at all.
func (r *response) encode(name string, failure error) []byte {
	out := appendBytes(nil, 1, []byte(name))
	if failure != nil {
		return appendBytes(out, 3, appendBytes(nil, 1, []byte(failure.Error())))
	}
	var result []byte
	result = appendFields(result, 1, r.header)
	for _, p := range r.payloads {
		result = appendBytes(result, 2, p)
	}
	if r.code != 0 {
		failed := appendVarint(nil, 1, uint64(r.code))
		failed = appendBytes(failed, 2, []byte(r.message))
		for _, d := range r.details {
			failed = appendBytes(failed, 3, d)
		}
		result = appendBytes(result, 3, failed)
	}
	result = appendFields(result, 4, r.trailer)
	if r.unsent > 0 {
		result = appendVarint(result, 5, uint64(r.unsent))
	}
	return appendBytes(out, 2, result)
}

// appendFields writes one Header message per name, with all of its values in order.
func appendFields(out []byte, n protowire.Number, header []wiregauge.Field) []byte {
	var names []string
	values := map[string][]byte{}
	for _, f := range header {
		if values[f.Name] == nil {
			names = append(names, f.Name)
			values[f.Name] = appendBytes(nil, 1, []byte(f.Name))
		}
		values[f.Name] = appendBytes(values[f.Name], 2, []byte(f.Value))
	}
	for _, name := range names {
		out = appendBytes(out, n, values[name])
	}
	return out
}

func appendBytes(out []byte, n protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, n, protowire.BytesType), b)
}

func appendVarint(out []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, n, protowire.VarintType), v)
}
