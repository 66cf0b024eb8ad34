package http2

import (
	"bytes"
	"testing"

	"wiregauge"
)

// The far end answers the same however the client's bytes are cut.
func TestCannedReadsFramesAcrossWrites(t *testing.T) {
	r := &wiregauge.Request{Messages: [][]byte{{1}}}
	sent := []byte(preface)
	sent = appendFrameHead(sent, frameSettings, 0, 0, 0)
	for id := uint32(1); id < 9; id += 2 {
		sent = append(appendFrameHead(sent, frameHeaders, flagEndHeaders, id, 3), 1, 2, 3)
		sent = append(appendFrameHead(sent, frameData, flagEndStream, id, 2), 1, 2)
	}
	sent = appendFrameHead(sent, frameSettings, flagAck, 0, 0)
	sent = append(appendFrameHead(sent, frameHeaders, flagEndHeaders|flagEndStream, 9, 1), 1)
	whole := canned(r, 20_000)(nil, sent)
	peer := canned(r, 20_000)
	var cut []byte
	for i := range sent {
		cut = peer(cut, sent[i:i+1])
	}
	if !bytes.Equal(whole, cut) || len(whole) < 5*20_000 {
		t.Errorf("%d bytes in one, %d a byte at a time", len(whole), len(cut))
	}
}
