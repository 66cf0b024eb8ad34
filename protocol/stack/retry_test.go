package stack_test

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/grpc"
	"wiregauge/protocol/stack"
)

var timeZero = time.Unix(1, 0) // a deadline that has passed

// behaviour is what a hostile server does with the first streams.
type behaviour func(f *http2.Framer, stream uint32) (closeConn bool)

func goAwayBelow(f *http2.Framer, stream uint32) bool {
	_ = f.WriteGoAway(0, http2.ErrCodeNo, nil) // stream 1 was provably not processed
	return true
}

func refuse(f *http2.Framer, stream uint32) bool {
	_ = f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
	return false
}

func protocolError(f *http2.Framer, stream uint32) bool {
	_ = f.WriteRSTStream(stream, http2.ErrCodeProtocol)
	return false
}

// hostile answers every stream but the first ones, that many, to which it does first; received counts requests.
func hostile(t *testing.T, first behaviour, times int64, received *atomic.Int64, gRPC bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go hostileConn(c, first, times, received, gRPC)
		}
	}()
	return l.Addr().String()
}

func hostileConn(c net.Conn, first behaviour, times int64, received *atomic.Int64, gRPC bool) {
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if s, ok := frame.(*http2.SettingsFrame); ok && !s.IsAck() {
			_ = f.WriteSettingsAck()
		}
		if !frame.Header().Flags.Has(http2.FlagDataEndStream) || frame.Header().StreamID == 0 {
			continue
		}
		if received.Add(1) <= times {
			if first(f, frame.Header().StreamID) {
				_, _ = io.Copy(io.Discard, c)
				return
			}
			continue
		}
		answer(f, frame.Header().StreamID, gRPC)
	}
}

func answer(f *http2.Framer, stream uint32, gRPC bool) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSizeLimit(0)
	_ = e.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	if !gRPC {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
		return
	}
	_ = e.WriteField(hpack.HeaderField{Name: "content-type", Value: "application/grpc"})
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
	_ = f.WriteData(stream, false, make([]byte, 5))
	block.Reset()
	_ = e.WriteField(hpack.HeaderField{Name: "grpc-status", Value: "0"})
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
}

// TestSecondTriesAreSeen: whatever the library does behind our back, the call ends as one call, OK and resent only
// where the frames prove that the first try was not processed.
func TestSecondTriesAreSeen(t *testing.T) {
	makers := map[string]func(address string) (wiregauge.Client, error){
		"net/http": func(a string) (wiregauge.Client, error) {
			return stack.NewHTTP(protocol.Options{Scheme: "http", Authority: a}, dialer(a), true)
		},
		"grpc-go": func(a string) (wiregauge.Client, error) {
			return grpc.NewStackClient(protocol.Options{Scheme: "http", Authority: a}, dialer(a))
		},
	}
	rows := []struct {
		name, client string
		first        behaviour
		times        int64
		outcome      wiregauge.Outcome
		resent       int
		received     int64
	}{
		{"net/http after a GOAWAY below the stream", "net/http", goAwayBelow, 1, wiregauge.OK, 1, 2},
		{"net/http after REFUSED_STREAM", "net/http", refuse, 1, wiregauge.OK, 1, 2},
		{"net/http after PROTOCOL_ERROR, which proves nothing", "net/http", protocolError, 1, wiregauge.Retried, 0, 2},
		{"net/http after two refusals", "net/http", refuse, 2, wiregauge.OK, 2, 3},
		{"grpc-go after two refusals, of which it repairs one", "grpc-go", refuse, 2, wiregauge.Refused, 1, 2},
		{"grpc-go after a GOAWAY below the stream", "grpc-go", goAwayBelow, 1, wiregauge.OK, 1, 2},
		{"grpc-go after REFUSED_STREAM", "grpc-go", refuse, 1, wiregauge.OK, 1, 2},
		{"grpc-go does not try again after PROTOCOL_ERROR", "grpc-go", protocolError, 1, wiregauge.Reset, 0, 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var received atomic.Int64
			client, err := makers[row.client](hostile(t, row.first, row.times, &received, row.client == "grpc-go"))
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			c := &wiregauge.Call{}
			method := "POST /x"
			if row.client == "grpc-go" {
				method = "/t.Svc/Echo"
			}
			c.Reset(&wiregauge.Request{Method: method, Messages: [][]byte{{}}})
			c.Explain = true
			client.Do(t.Context(), c, &told{})
			if c.Outcome != row.outcome || c.Resent != row.resent || received.Load() != row.received {
				t.Errorf("got %v %q, resent %d, server received %d; want %v, %d, %d", c.Outcome, c.Text, c.Resent, received.Load(),
					row.outcome, row.resent, row.received)
			}
		})
	}
}
