package lab

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"wiregauge/lab/truth"
)

// Truth is what GET /truth of the admin URL answers: what is planted, and what the server saw of it since the start or
// the last reset.
type Truth struct {
	Case  string        `json:"case"`
	Title string        `json:"title"`
	Plant string        `json:"plant"`
	Log   truth.Summary `json:"log"`
}

// until sleeps up to a moment on the server's clock.
func (s *Server) until(ctx context.Context, at time.Duration) error {
	left := at - s.clock.Now()
	if left <= 0 {
		return ctx.Err()
	}
	return s.clock.Sleep(ctx, left)
}

// note writes one call down where that is asked for.
func (s *Server) note(arrived, due time.Duration, begun time.Time, ok bool) {
	if s.journal == nil {
		return
	}
	inside := time.Since(begun)
	now := s.clock.Now()
	if due == 0 {
		due = arrived // nothing is planted for single calls
	}
	s.journal.Add(truth.Entry{Arrived: arrived, Due: due, Begun: now - inside, Ended: now, OK: ok})
}

// serveTruth adds GET /truth (with ?reset it starts the log anew) and GET /truth/log, the calls as CSV.
func (s *Server) serveTruth(mux *http.ServeMux) {
	if s.journal == nil {
		return
	}
	mux.HandleFunc("GET /truth", func(w http.ResponseWriter, r *http.Request) {
		entries, lost := s.journal.Read(r.URL.Query().Has("reset"))
		writeJSON(w, Truth{Case: s.truth.Name, Title: s.truth.Title, Plant: s.truth.Plant, Log: truth.Summarize(entries, lost)})
	})
	mux.HandleFunc("GET /truth/log", func(w http.ResponseWriter, r *http.Request) {
		entries, _ := s.journal.Read(r.URL.Query().Has("reset"))
		w.Header().Set("Content-Type", "text/csv")
		_ = truth.WriteLog(w, entries)
	})
}

// TruthURL is where GET /truth answers, "" for a server without it.
func (s *Server) TruthURL() string {
	if s.journal == nil {
		return ""
	}
	return s.adminURL + "/truth"
}

// TruthOf reads what a server answers to GET /truth.
func TruthOf(body []byte) (*Truth, error) {
	t := &Truth{}
	return t, json.Unmarshal(body, t)
}
