package main

import (
	"wiregauge"
	"wiregauge/protocol"
)

// checkTake refuses --take where no message comes before the answer is whole.
func checkTake(take int, p *prepared, sent *payload) error {
	r := sent.Requests[0]
	http := isHTTP(p.Protocol)
	switch {
	case take == 0:
		return nil
	case http && sent.Codec != "json":
		return usage("--take ends a stream of lines or events, and an answer in %s over %s is one body", sent.Codec, p.Protocol.Title).
			with("try", "grpc://, where messages come one by one")
	case http && sent.Method != nil && !r.Shape.StreamsIn() && sent.Method.Shape.StreamsIn():
		return usage("--take ends a stream, and over %s the answer to a %s call is one body", p.Protocol.Title, sent.Method.Shape).
			with("try", "grpc://, where messages come one by one")
	case !r.Shape.StreamsIn():
		return usage("--take is for methods that answer with a stream")
	case sent.packedStream(p.Protocol):
		return usage("--take does not go with --compressed over %s: a compressed stream can be read only when it is whole", p.Protocol.Title)
	}
	return nil
}

// packedStream reports whether an HTTP answer that is a stream may come compressed.
func (s *payload) packedStream(p *protocol.Protocol) bool {
	r := s.Requests[0]
	return isHTTP(p) && r.Shape.StreamsIn() && r.Accept != ""
}

// checkLimitRate refuses --limit-rate where nothing holds a server back message by message.
func checkLimitRate(p *prepared, r *wiregauge.Request) error {
	return checkHeldBack("--limit-rate", p, r)
}

// checkSlow refuses --slow-consumer where nothing holds a server back, or no message comes before the answer is whole.
func checkSlow(slow *rate, p *prepared, sent *payload) error {
	switch {
	case !slow.open():
		return nil
	case slow.float() > 1e6:
		return usage("--slow-consumer %s: at most 1,000,000 messages a second of each stream", slow)
	case isHTTP(p.Protocol) && sent.Codec != "json":
		return usage("--slow-consumer takes the messages of a stream of lines or events, and an answer in %s over %s is one body", sent.Codec, p.Protocol.Title).
			with("try", "grpc://, where messages come one by one")
	case sent.packedStream(p.Protocol):
		return usage("--slow-consumer does not go with --compressed over %s: a compressed stream can be read only when it is whole", p.Protocol.Title)
	}
	return checkHeldBack("--slow-consumer", p, sent.Requests[0])
}

// checkHeldBack refuses a flag that needs a server which can be held back.
func checkHeldBack(flag string, p *prepared, r *wiregauge.Request) error {
	switch {
	case !r.Shape.StreamsIn():
		return usage("%s is for calls that are answered with a stream, and this one is %s", flag, r.Shape)
	case p.Client == "stack":
		return usage("%s is for our own clients: a library asks for more on its own", flag).with("try", "--client wire")
	case p.Protocol.Name == "http1" || p.Protocol.Name == "tcp":
		return usage("%s: nothing in %s holds a server back by messages", flag, p.Protocol.Title).with("try", "RSocket, gRPC or HTTP/2")
	}
	return nil
}

// repeat makes every call send n messages, those of the data round robin; 0 leaves them as they are.
func (out *payload) repeat(n int, p *prepared) error {
	r := out.Requests[0]
	switch {
	case n == 0:
		return nil
	case !r.Shape.StreamsOut():
		return usage("--messages is for calls whose caller sends a stream, and this one is %s", r.Shape)
	case isHTTP(p.Protocol):
		return usage("--messages: a request over %s is one body", p.Protocol.Title).with("try", "grpc://, where messages are sent one by one")
	case out.Live != nil:
		return usage("--messages sends what it has read, and -d @- sends messages as they come: -d @FILE for one of them")
	case len(r.Messages) == 0:
		return usage("--messages %d: the data holds no message to send", n)
	}
	for _, r := range out.Requests {
		all := make([][]byte, n)
		for i := range all {
			all[i] = r.Messages[i%len(r.Messages)]
		}
		r.Messages = all
	}
	return nil
}
