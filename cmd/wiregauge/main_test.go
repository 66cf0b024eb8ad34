package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge/lab"
	"wiregauge/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A session is what one command line did.
type session struct {
	code           int
	stdout, stderr string
}

// invoke runs one command line in process, with an environment of its own.
func invoke(t *testing.T, args ...string) session {
	t.Helper()
	return invokeWith(t, context.Background(), nil, "", args...)
}

func invokeWith(t *testing.T, ctx context.Context, env map[string]string, stdin string, args ...string) session {
	t.Helper()
	var stdout, stderr bytes.Buffer
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	code := newApp(strings.NewReader(stdin), &stdout, &stderr, lookup).run(ctx, args)
	return session{code, stdout.String(), stderr.String()}
}

// measured runs one command line that must end with code, and reads the result it saved.
func measured(t *testing.T, code int, args ...string) (*result.File, session) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result.json")
	s := invoke(t, append(args, "-o", "json="+path)...)
	if s.code != code {
		t.Fatalf("exit %d, want %d\n%s\n%s", s.code, code, s.stdout, s.stderr)
	}
	r, err := readResultFile(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.stderr)
	}
	return r, s
}

func readResultFile(path string) (*result.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return result.Read(f)
}

// conserved checks that no call of an arm vanished.
func conserved(t *testing.T, c result.Counts) {
	t.Helper()
	if c.Due != c.Unsent+c.Sent || c.Sent != c.OK+c.Failed+c.Unfinished {
		t.Errorf("counts do not add up: %+v", c)
	}
}

// A service is the reference server of a test.
type service struct {
	*lab.Server
	urls map[string]string // by protocol and service: "grpc hello"
}

// serve starts the reference services on free ports for the length of the test.
func serve(t *testing.T, c lab.ServeConfig) *service {
	t.Helper()
	s, err := lab.Serve(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	out := &service{s, map[string]string{}}
	for _, e := range s.Endpoints() {
		key := e.Protocol + " " + e.Name
		if out.urls[key] == "" {
			out.urls[key] = e.URL
		}
	}
	return out
}

func (s *service) url(t *testing.T, key string) string {
	t.Helper()
	if s.urls[key] == "" {
		t.Fatalf("nothing serves %q: %v", key, s.urls)
	}
	return s.urls[key]
}

// golden compares text with a file of testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update to see it in the diff\ngot\n%s", path, got)
	}
}
