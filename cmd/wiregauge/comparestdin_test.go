package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Every arm sends what came on the standard input (K05), not only the one that read it first.
func TestCompareSendsTheStandardInputToEveryArm(t *testing.T) {
	var mu sync.Mutex
	bodies := map[string]map[string]bool{}
	server := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			if bodies[name] == nil {
				bodies[name] = map[string]bool{}
			}
			bodies[name][string(body)] = true
			w.Write(body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	args := []string{"compare", "a=" + server("a"), "b=" + server("b"), "-d", "@-", "-n", "4", "--rounds", "2", "-c", "1"}
	if got := invokeWith(t, context.Background(), nil, `{"id":7}`, args...); got.code != exitOK {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	for _, name := range []string{"a", "b"} {
		if seen := bodies[name]; len(seen) != 1 || !seen[`{"id":7}`] {
			t.Errorf("%s received %v", name, seen)
		}
	}
}
