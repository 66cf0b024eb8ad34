package lab

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"wiregauge/lab/hostile"
	"wiregauge/lab/plant"
)

// A spoiler answers HTTP/2 and gRPC where the plant asks for what net/http and grpc-go cannot be made to do. The
// services behind it are the same ones.
type spoiler struct {
	s    *Server
	rpc  registrar
	rest http.Handler
}

// needsSpoiler reports whether a protocol has to be played by the hostile server under p.
func needsSpoiler(protocol string, p *plant.Plant) bool {
	switch protocol {
	case "grpc", "grpcs":
		return p.Unread() || p.GoAway > 0 || p.Requests > 0 || p.Resets()
	case "h2c", "h2":
		return p.Unread() || p.GoAway > 0
	}
	return false
}

// checkSpoiler refuses plants that neither a library nor the spoiler can carry out together.
func checkSpoiler(protocols []string, p *plant.Plant) error {
	spoiled, multiplexed, refusing := false, false, false
	for _, name := range protocols {
		spoiled = spoiled || needsSpoiler(name, p)
		multiplexed = multiplexed || strings.HasPrefix(name, "h2") || strings.HasPrefix(name, "grpc")
		refusing = refusing || isRSocket(name)
	}
	if spoiled && (p.Age > 0 || p.Idle > 0) {
		return errors.New("plant: age and idle do not go with refuse, goaway, or on gRPC with reset, cut and requests")
	}
	if !multiplexed && (p.Unread() && !refusing || p.GoAway > 0) {
		return errors.New("plant: refuse and goaway are for h2c, h2, grpc and grpcs, refuse for RSocket too, none of which is served")
	}
	return nil
}

// serveSpoiled runs the hostile server on l.
func (s *Server) serveSpoiled(l net.Listener, secure *tls.Config) {
	p := &spoiler{s: s, rpc: s.registrar(), rest: s.restHandler(bare)}
	h := &hostile.HTTP2{Head: p.head, Early: p.early, Handle: p.handle, GoAway: s.plant.GoAway, Requests: s.plant.Requests}
	if n := s.plant.Streams; n > 0 {
		h.Settings = append(h.Settings, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: uint32(n)})
	}
	if secure != nil {
		secure.NextProtos = []string{"h2"}
	}
	play := func(ctx context.Context, c net.Conn) { h.Play(withStamps(ctx, c), c) }
	server := hostile.Serve(s.ledger.count(l), play, secure)
	s.onClose(server.Close)
}

// A spoiled is one call of the spoiler: what was drawn for it, and where it is counted.
type spoiled struct {
	planter *plant.Planter // nil: nothing is planted
	n       uint64
	fate    plant.Fate
	refusal error // its wg-plant header is wrong

	server  *Server
	meter   *meter
	start   time.Time
	arrived time.Duration
}

// head settles a stream when its header block has come: here it is refused or not.
func (p *spoiler) head(st *hostile.Stream) bool {
	c := &spoiled{server: p.s, meter: p.meter(st), arrived: p.s.arrived(st.Context())}
	c.start = time.Now()
	st.Note = c
	if c.meter == nil {
		return false
	}
	if c.planter, c.refusal = p.s.planterFor(st.Get(plantHeaderName)); c.planter == nil {
		return false
	}
	c.n, c.fate = c.planter.Draw()
	if c.fate.Act != plant.Refuse {
		return false
	}
	c.begin()
	c.end(false)
	return hostile.Refuse(st)
}

// early has streaming methods begin before their request has ended.
func (p *spoiler) early(st *hostile.Stream) bool {
	return p.rpc.streams[st.Get(":path")].handler != nil
}

// meter is where a call is counted, by method or path; nil for reflection and health, which nothing is done to.
func (p *spoiler) meter(st *hostile.Stream) *meter {
	path, _, _ := strings.Cut(st.Get(":path"), "?")
	for _, m := range methods {
		switch path {
		case m.rpc:
			return p.s.ledger.meter("grpc " + path)
		case m.restPath:
			return p.s.ledger.meter("http2 " + st.Get(":method") + " " + path)
		}
	}
	if strings.HasPrefix(path, "/grpc.") {
		return nil
	}
	return p.s.ledger.meter("http2 other")
}

// handle answers a whole request as drawn.
func (p *spoiler) handle(st *hostile.Stream) {
	c := st.Note.(*spoiled)
	c.arrived = p.s.arrived(st.Context())
	c.start = time.Now()
	c.begin()
	if c.planter != nil {
		var err error
		if c.fate, err = c.planter.Wait(st.Context(), c.n, c.fate, c.arrived); err != nil {
			c.end(false)
			return
		}
	}
	switch c.fate.Act {
	case plant.Hang:
		<-st.Context().Done()
		c.end(false)
		return
	case plant.Reset:
		c.end(false)
		st.Reset(http2.ErrCodeInternal)
		return
	}
	switch {
	case !strings.HasPrefix(st.Get("content-type"), "application/grpc"):
		p.answerREST(st, c)
	case p.early(st):
		p.streamRPC(st, c)
	default:
		p.answerRPC(st, c)
	}
}

func (c *spoiled) begin() {
	if c.meter != nil {
		c.meter.begin()
	}
}

func (c *spoiled) end(ok bool) {
	if c.meter != nil {
		c.server.note(c.arrived, c.fate.End(), c.start, ok)
		c.meter.end(time.Since(c.start), ok)
	}
}

// answerREST answers an HTTP request.
func (p *spoiler) answerREST(st *hostile.Stream, c *spoiled) {
	a := p.callREST(st, c)
	head := []string{":status", strconv.Itoa(a.code)}
	for name, values := range a.header {
		head = append(head, strings.ToLower(name), values[0])
	}
	p.until(st, c.fate.Chunk(-1))
	st.Head(false, head...)
	if p.body(st, c, a.body.Bytes()) {
		c.end(a.code < 400)
		st.Data(nil, true)
	}
}

func (p *spoiler) callREST(st *hostile.Stream, c *spoiled) *recorder {
	a := &recorder{header: http.Header{}, code: http.StatusOK}
	x := &exchange{w: a, fate: c.fate, body: st.Body}
	switch target, err := url.ParseRequestURI(st.Get(":path")); {
	case err != nil:
		x.fail(http.StatusBadRequest, err.Error())
	case c.refusal != nil:
		x.fail(http.StatusBadRequest, c.refusal.Error())
	case c.fate.Act == plant.Fail:
		x.fail(c.fate.Code.HTTP, plantedText)
	default:
		x.fate.Act, x.fate.Body = plant.Answer, plant.SlowBody{} // those are ours
		r := &http.Request{Method: st.Get(":method"), URL: target, Host: st.Get(":authority"), ProtoMajor: 2, Header: http.Header{}}
		for _, f := range st.Fields {
			r.Header.Add(f.Name, f.Value)
		}
		p.rest.ServeHTTP(a, r.WithContext(context.WithValue(st.Context(), exchangeKey{}, x)))
	}
	return a
}

type exchangeKey struct{}

// bare wraps an answer whose exchange has been read, counted and planted by the spoiler.
func bare(_ string, answer func(*exchange)) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		x := r.Context().Value(exchangeKey{}).(*exchange)
		x.r = r
		answer(x)
	}
}

// body sends the bytes of an answer as planted and reports whether its end is still to be sent.
func (p *spoiler) body(st *hostile.Stream, c *spoiled, b []byte) bool {
	if c.fate.Act == plant.Cut {
		c.end(false)
		st.Data(b[:len(b)/2], false)
		st.Reset(http2.ErrCodeInternal)
		return false
	}
	chunks := max(c.fate.Body.Chunks, 1)
	for i := range chunks {
		p.until(st, c.fate.Chunk(i))
		if st.Data(b[len(b)*i/chunks:len(b)*(i+1)/chunks], false) != nil {
			c.end(false)
			return false
		}
	}
	return true
}

// until waits for a moment of a slow body; without one there is nothing to wait for.
func (p *spoiler) until(st *hostile.Stream, at time.Duration) {
	if c := st.Note.(*spoiled); c.fate.Body.Chunks > 0 {
		_ = p.s.until(st.Context(), at) // a client that has gone is found at the next write
	}
}

// A recorder keeps an answer of net/http.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(code int)        { r.code = code }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
func (r *recorder) Flush()                      {}
