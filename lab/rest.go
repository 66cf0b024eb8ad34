package lab

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"wiregauge/lab/plant"
)

// The messages as a JSON service writes them by hand; names and meaning follow the contracts in proto/.
type (
	helloQuestion struct {
		Greeting string `json:"greeting"`
	}
	helloAnswer struct {
		Reply  string `json:"reply"`
		Filler []byte `json:"filler,omitempty"`
	}
	randomMessage struct {
		RandomString string `json:"randomString"`
		RandomInt    int32  `json:"randomInt"`
		Filler       []byte `json:"filler,omitempty"`
	}
	checkQuestion struct {
		SKU      string `json:"sku"`
		Quantity int32  `json:"quantity"`
	}
	checkAnswer struct {
		SKU       string `json:"sku"`
		Available bool   `json:"available"`
		InStock   int32  `json:"inStock"`
		Warehouse string `json:"warehouse"`
		Filler    []byte `json:"filler,omitempty"`
	}
	echoMessage struct {
		Payload blob  `json:"payload"`
		Count   int32 `json:"count,omitempty"`
	}
	tickQuestion struct {
		EveryMS int32 `json:"everyMs"`
		Count   int32 `json:"count"`
	}
	tick struct {
		Number int64  `json:"number"`
		Filler []byte `json:"filler,omitempty"`
	}
)

const (
	plantHeaderName = "wg-plant"
	plantedText     = "planted"
	jsonType        = "application/json"
)

// A wrapper makes a handler of an answer to a pattern.
type wrapper func(pattern string, answer func(*exchange)) http.HandlerFunc

// restHandler answers the chosen services under /v1/.
func (s *Server) restHandler(wrap wrapper) http.Handler {
	mux := http.NewServeMux()
	route := func(pattern string, answer func(*exchange)) { mux.HandleFunc(pattern, wrap(pattern, answer)) }
	for _, name := range s.config.Services {
		switch name {
		case "hello":
			route("POST /v1/hello", s.json(hello))
			route("GET /v1/hello/{greeting}", s.json(hello))
		case "random":
			route("POST /v1/random", s.json(random))
		case "inventory":
			route("POST /v1/inventory/check", s.json(check))
			route("GET /v1/inventory/{sku}", s.json(check))
		case "echo":
			route("POST /v1/echo", s.echo)
			route("POST /v1/echo/stream", s.echoStream)
		}
	}
	return mux
}

// An exchange is one HTTP request on its way to its answer.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	fate plant.Fate

	server  *Server
	meter   *meter
	start   time.Time
	arrived time.Duration
}

// done counts the exchange, once; later calls change nothing. It comes before the last bytes of an answer are
// written, so that whoever has an answer finds it counted.
func (x *exchange) done(ok bool) {
	if x.meter != nil {
		x.server.note(x.arrived, x.fate.End(), x.start, ok)
		x.meter.end(time.Since(x.start), ok)
		x.meter = nil
	}
}

// counted wraps an answer with what all have in common: the request is read, counted, planted and timed.
func (s *Server) counted(pattern string, answer func(*exchange)) http.HandlerFunc {
	meters := [3]*meter{1: s.ledger.meter("http1 " + pattern), 2: s.ledger.meter("http2 " + pattern)}
	return func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{w: w, r: r}
		var err error
		if x.body, err = readBody(r); err != nil {
			return // the client went away
		}
		x.arrived = s.arrived(r.Context())
		x.server, x.meter, x.start = s, meters[r.ProtoMajor], time.Now()
		x.meter.begin()
		defer x.done(false)
		if s.settle(x) {
			answer(x)
		}
	}
}

// readBody reads all of it, in one allocation when its length is told.
func readBody(r *http.Request) ([]byte, error) {
	if n := r.ContentLength; n >= 0 && n < 1<<30 {
		b := make([]byte, n)
		_, err := io.ReadFull(r.Body, b)
		return b, err
	}
	return io.ReadAll(r.Body)
}

// settle carries out what is planted and reports whether an answer is still to be given.
func (s *Server) settle(x *exchange) bool {
	p, err := s.planterFor(headerValue(x.r.Header))
	if err != nil {
		x.fail(http.StatusBadRequest, err.Error())
		return false
	}
	if p == nil {
		return true
	}
	if x.fate, err = p.Call(x.r.Context(), x.arrived); err != nil {
		panic(http.ErrAbortHandler) // whoever asked has gone, or the server closes: there is no answer
	}
	switch x.fate.Act {
	case plant.Fail:
		x.fail(x.fate.Code.HTTP, plantedText)
		return false
	case plant.Hang:
		<-x.r.Context().Done()
		panic(http.ErrAbortHandler)
	case plant.Reset, plant.Refuse:
		x.done(false)
		abort(x.w, x.r)
	}
	return true
}

func headerValue(h http.Header) string {
	if v := h["Wg-Plant"]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// json answers one message with another.
func (s *Server) json(answer func(*exchange) (any, error)) func(*exchange) {
	return func(x *exchange) {
		a, err := answer(x)
		if err != nil {
			x.fail(http.StatusBadRequest, err.Error())
			return
		}
		b, err := json.Marshal(a)
		if err != nil {
			x.fail(http.StatusInternalServerError, err.Error())
			return
		}
		s.write(x, jsonType, b)
	}
}

// filler is the planted part of an answer.
func (x *exchange) filler() []byte {
	if x.fate.Size == 0 {
		return nil
	}
	return make([]byte, x.fate.Size)
}

func hello(x *exchange) (any, error) {
	q := helloQuestion{Greeting: x.r.PathValue("greeting")}
	if x.r.Method == http.MethodPost {
		if err := json.Unmarshal(x.body, &q); err != nil {
			return nil, err
		}
	}
	return &helloAnswer{Reply: sayHello(q.Greeting), Filler: x.filler()}, nil
}

func random(x *exchange) (any, error) {
	var q randomMessage
	if err := json.Unmarshal(x.body, &q); err != nil {
		return nil, err
	}
	q.Filler = x.filler()
	return &q, nil
}

func check(x *exchange) (any, error) {
	q := checkQuestion{SKU: x.r.PathValue("sku")}
	if x.r.Method == http.MethodPost {
		if err := json.Unmarshal(x.body, &q); err != nil {
			return nil, err
		}
	} else if v := x.r.URL.Query().Get("quantity"); v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return nil, err
		}
		q.Quantity = int32(n)
	}
	n, where := stock(q.SKU)
	return &checkAnswer{SKU: q.SKU, Available: n >= q.Quantity, InStock: n, Warehouse: where, Filler: x.filler()}, nil
}

// echo sends JSON back as the message it holds, and anything else as the bytes it is.
func (s *Server) echo(x *exchange) {
	kind := x.r.Header.Get("Content-Type")
	if !strings.HasPrefix(kind, jsonType) {
		if kind == "" {
			kind = "application/octet-stream"
		}
		s.write(x, kind, append(x.body, x.filler()...))
		return
	}
	s.json(func(x *exchange) (any, error) {
		var q echoMessage
		if err := json.Unmarshal(x.body, &q); err != nil {
			return nil, err
		}
		q.Payload = append(q.Payload, x.filler()...)
		return &q, nil
	})(x)
}

// echoStream answers with one JSON message a line.
func (s *Server) echoStream(x *exchange) {
	var q echoMessage
	if err := json.Unmarshal(x.body, &q); err != nil {
		x.fail(http.StatusBadRequest, err.Error())
		return
	}
	line, err := json.Marshal(&echoMessage{Payload: append(q.Payload, x.filler()...)})
	if err != nil {
		x.fail(http.StatusInternalServerError, err.Error())
		return
	}
	line = append(line, '\n')
	x.w.Header().Set("Content-Type", "application/x-ndjson")
	control := http.NewResponseController(x.w)
	for i := int32(0); q.Count < 0 || i < answers(q.Count); i++ {
		if i == answers(q.Count)-1 {
			x.done(true)
		}
		if _, err := x.w.Write(line); err != nil {
			return
		}
		if control.Flush() != nil || x.r.Context().Err() != nil {
			return
		}
	}
}

// fail answers with an error as JSON services do.
func (x *exchange) fail(code int, text string) {
	x.done(false)
	b, _ := json.Marshal(map[string]string{"error": text})
	h := x.w.Header()
	h.Set("Content-Type", jsonType)
	if code == http.StatusNoContent || code == http.StatusNotModified {
		x.w.WriteHeader(code)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(b)))
	x.w.WriteHeader(code)
	x.w.Write(b)
}

// write sends an answer: at once, or as planted.
func (s *Server) write(x *exchange, kind string, body []byte) {
	h := x.w.Header()
	h["Content-Type"] = []string{kind}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	switch {
	case x.fate.Act == plant.Cut:
		x.w.Write(body[:len(body)/2])
		http.NewResponseController(x.w).Flush()
		x.done(false)
		abort(x.w, x.r)
	case x.fate.Body.Chunks > 0:
		s.writeSlowly(x, body)
		return
	}
	x.done(true)
	x.w.Write(body)
}

// writeSlowly sends the head first and then the body in chunks, evenly up to the last moment.
func (s *Server) writeSlowly(x *exchange, body []byte) {
	ctx, chunks := x.r.Context(), x.fate.Body.Chunks
	control := http.NewResponseController(x.w)
	if s.until(ctx, x.fate.Chunk(-1)) != nil {
		panic(http.ErrAbortHandler)
	}
	x.w.WriteHeader(http.StatusOK)
	if control.Flush() != nil {
		return
	}
	for i := range chunks {
		if s.until(ctx, x.fate.Chunk(i)) != nil {
			panic(http.ErrAbortHandler)
		}
		if i == chunks-1 {
			x.done(true)
		}
		if _, err := x.w.Write(body[len(body)*i/chunks : len(body)*(i+1)/chunks]); err != nil || control.Flush() != nil {
			return
		}
	}
}
