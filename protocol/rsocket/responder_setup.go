package rsocket

import (
	"errors"
	"fmt"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// noUpgrade is what a client is told that does not ask for WebSocket.
const noUpgrade = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 35\r\n\r\n" +
	"RSocket over WebSocket is expected\n"

// upgrade answers the client's side of the upgrade to WebSocket, whatever its path.
func (r *Responder) upgrade(in, out []byte) (used int, _ []byte, err error) {
	_, key, n, err := websocket.ReadRequest(in)
	if err != nil {
		return n, append(out, noUpgrade...), err
	}
	if n == 0 {
		return 0, out, nil
	}
	r.phase = opening
	return n, websocket.AppendResponse(out, key), nil
}

// setUp takes the first frame, which decides about the connection (Protocol.md, "Connection Establishment").
func (r *Responder) setUp(t frame.Type, p, out []byte) ([]byte, error) {
	if t == frame.Resume {
		return out, &refusal{frame.RejectedResume, "resume not supported"}
	}
	if t != frame.Setup {
		return out, &refusal{frame.InvalidSetup, "SETUP or RESUME frame must be received before any others"}
	}
	f, err := frame.Decode(p)
	switch {
	case len(p) >= frame.HeadLen+4 && (f.Major != 1 || f.Minor != 0):
		return out, &refusal{frame.InvalidSetup, fmt.Sprintf("Unsupported version: %d.%d", f.Major, f.Minor)}
	case err != nil:
		return out, &refusal{frame.InvalidSetup, err.Error()}
	case f.Flags&frame.Leasing != 0 && r.serving.Lease.Requests == 0:
		return out, &refusal{frame.InvalidSetup, "lease is not supported"}
	case f.Flags&frame.Resuming != 0:
		return out, &refusal{frame.UnsupportedSetup, "resume not supported"}
	}
	r.codec = string(f.DataMIME)
	r.routes.init(string(f.MetadataMIME))
	r.lifetime = time.Duration(f.Lifetime&frame.MaxN) * time.Millisecond
	if err := r.tellOpening(&f); err != nil {
		return out, err
	}
	r.phase = opened
	if r.serving.Lease.Requests > 0 {
		out = r.issue(out)
	}
	return out, nil
}

// tellOpening asks the Handler whether it wants the connection.
func (r *Responder) tellOpening(f *frame.Frame) error {
	known := r.routes.of(f.Metadata)
	err := known.err
	if err == nil {
		r.told = wiregauge.Incoming{Opening: true, Method: known.method, Metadata: f.Metadata, Header: known.header, Codec: r.codec, Data: f.Data}
		err = r.h.Request(0, &r.told)
	}
	if err == nil {
		return nil
	}
	why := &refusal{frame.RejectedSetup, err.Error()}
	var failure *wiregauge.Failure
	if errors.As(err, &failure) && failure.Status != 0 {
		why.code = frame.Code(failure.Status)
	}
	return why
}
