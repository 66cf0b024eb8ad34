package casesvc

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
)

func (s *Server) serveHTTP(secure *tls.Config) {
	mux := http.NewServeMux()
	for _, method := range unaryMethods {
		mux.HandleFunc("POST /t.Svc/"+method, func(w http.ResponseWriter, r *http.Request) { s.unaryHTTP(w, r, method) })
	}
	mux.HandleFunc("POST /t.Svc/Stream", s.streamHTTP)
	mux.HandleFunc("POST /t.Svc/Up", s.upHTTP)
	mux.HandleFunc("POST /t.Svc/BidiEcho", s.bidiHTTP)
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetHTTP2(secure != nil)
	p.SetUnencryptedHTTP2(secure == nil)
	h := &http.Server{
		Handler: mux, Protocols: &p, TLSConfig: secure, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
	}
	s.close = append(s.close, func() { h.Close() })
	s.wg.Go(func() {
		if secure != nil {
			h.ServeTLS(s.http, "", "")
			return
		}
		h.Serve(s.http)
	})
}

// body reads a whole request and records it; it reports whether there was one.
func (s *Server) body(r *http.Request, method string) ([]byte, bool) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.gaveUp(method)
		return nil, false
	}
	s.received("http", method, b)
	return b, true
}

func (s *Server) unaryHTTP(w http.ResponseWriter, r *http.Request, method string) {
	b, ok := s.body(r, method)
	if !ok {
		return
	}
	ok, err := s.unary(r.Context(), method)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if !ok {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, FailureText)
		return
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.Write(b)
}

func (s *Server) streamHTTP(w http.ResponseWriter, r *http.Request) {
	b, ok := s.body(r, "Stream")
	if !ok {
		return
	}
	s.called("Stream")
	line := append(bytes.ReplaceAll(b, []byte("\n"), []byte(" ")), '\n')
	for n := 0; s.streamed(n); n++ {
		if !send(w, r, line) {
			s.gaveUp("Stream")
			return
		}
	}
}

// send writes a line at once and reports whether the client is still there.
func send(w http.ResponseWriter, r *http.Request, line []byte) bool {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/x-ndjson")
	}
	if _, err := w.Write(line); err != nil {
		return false
	}
	return http.NewResponseController(w).Flush() == nil && r.Context().Err() == nil
}

// upHTTP answers with the number of lines in the request.
func (s *Server) upHTTP(w http.ResponseWriter, r *http.Request) {
	s.called("Up")
	n := 0
	err := lines(r.Body, func(line []byte) bool {
		s.received("http", "Up", line)
		n++
		return true
	})
	if err != nil {
		s.gaveUp("Up")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"%d"}`, n)
}

// bidiHTTP sends each line back as it comes.
func (s *Server) bidiHTTP(w http.ResponseWriter, r *http.Request) {
	s.called("BidiEcho")
	http.NewResponseController(w).EnableFullDuplex() // HTTP/2 has it anyway
	err := lines(r.Body, func(line []byte) bool {
		s.received("http", "BidiEcho", line)
		return send(w, r, append(line, '\n'))
	})
	if err != nil {
		s.gaveUp("BidiEcho")
	}
}

// lines calls each for the lines of r that are not empty, until it reports false.
func lines(r io.Reader, each func([]byte) bool) error {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadString('\n')
		if text := strings.TrimSpace(line); text != "" && !each([]byte(text)) {
			return io.ErrClosedPipe
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
