package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func startWeb(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		io.WriteString(w, `{"n":12345678901234567890,"m":"`+r.Method+`","host":"`+r.Host+`"}`)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s %s|", r.Method, r.URL, r.Header.Get("Content-Type"))
		io.Copy(w, r.Body)
	})
	mux.HandleFunc("/teapot", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "short and stout", http.StatusTeapot) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/json", http.StatusFound) })
	mux.HandleFunc("/packed", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, "inflated")
			z.Close()
		}
	})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	srv := httptest.NewUnstartedServer(mux)
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetHTTP1(true)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

func TestCallOverHTTP(t *testing.T) {
	srv := startWeb(t)
	host := strings.TrimPrefix(srv.URL, "http://")
	for _, scheme := range []string{"http", "h2c"} {
		url := scheme + "://" + host
		for _, c := range []struct {
			name   string
			args   []string
			code   int
			stdout string
			stderr string
		}{
			{"JSON is laid out", []string{url + "/json"}, 0, "{\n  \"n\": 12345678901234567890,\n  \"m\": \"GET\",\n  \"host\": \"" + host + "\"\n}\n", ""},
			{"POST with data", []string{url + "/echo?a=b", "-d", `{"a":1}`}, 0, `POST /echo?a=b application/json|{"a":1}`, ""},
			{"a method of one's own", []string{url + "/echo", "-X", "PUT", "-d", "x", "-H", "Content-Type: text/x"}, 0, `PUT /echo text/x|x`, ""},
			{"data that starts with an at sign", []string{url + "/echo", "--data-raw", "@x"}, 0, `POST /echo application/json|@x`, ""},
			{"another host", []string{url + "/json", "-H", "Host: shop.test"}, 0, "{\n  \"n\": 12345678901234567890,\n  \"m\": \"GET\",\n  \"host\": \"shop.test\"\n}\n", ""},
			{"an error keeps its body", []string{url + "/teapot"}, 4, "short and stout\n", "error: HTTP 418 I'm a teapot\n"},
			{"a redirect is an answer", []string{url + "/moved"}, 0, "<a href=\"/json\">Found</a>.\n\n", "notice: 302 redirects to /json"},
			{"inflated", []string{url + "/packed", "--compressed"}, 0, "inflated", ""},
			{"no body", []string{url + "/empty"}, 0, "", ""},
		} {
			t.Run(scheme+" "+c.name, func(t *testing.T) {
				got := invoke(t, append([]string{"call"}, c.args...)...)
				got.expect(t, c.code, c.stdout)
				if !strings.Contains(got.stderr, c.stderr) || c.stderr == "" && got.stderr != "" {
					t.Errorf("standard error %q, want %q", got.stderr, c.stderr)
				}
			})
		}
	}
	t.Run("headers before the body", func(t *testing.T) {
		got := invoke(t, "call", srv.URL+"/teapot", "-i")
		if !strings.HasPrefix(got.stdout, "HTTP/1.1 418 I'm a teapot\n") || !strings.Contains(got.stdout, "\n\nshort and stout\n") {
			t.Errorf("%q", got.stdout)
		}
	})
	t.Run("headers without a body", func(t *testing.T) {
		if got := invoke(t, "call", srv.URL+"/empty", "-i"); !strings.HasPrefix(got.stdout, "HTTP/1.1 204 No Content\n") {
			t.Errorf("%q", got.stdout)
		}
	})
	t.Run("another address for a name", func(t *testing.T) {
		_, port, _ := strings.Cut(host, ":")
		got := invoke(t, "call", "http://shop.test:"+port+"/json", "--resolve", "shop.test:"+port+":127.0.0.1")
		if got.code != 0 || !strings.Contains(got.stdout, "shop.test:"+port) {
			t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
		}
	})
}

func TestCallSavesTheBody(t *testing.T) {
	srv := startWeb(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "body")
	t.Run("as it came", func(t *testing.T) {
		invoke(t, "call", srv.URL+"/json", "-o", path).expect(t, 0, "")
		raw, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(raw), `{"n":12345678901234567890,"m"`) {
			t.Errorf("%s (%v)", raw, err)
		}
	})
	t.Run("an error's too", func(t *testing.T) {
		invoke(t, "call", srv.URL+"/teapot", "-o", path).expect(t, 4, "")
		if raw, err := os.ReadFile(path); err != nil || string(raw) != "short and stout\n" {
			t.Errorf("%s (%v)", raw, err)
		}
	})
	t.Run("not when there is no answer", func(t *testing.T) {
		gone := filepath.Join(dir, "gone")
		invoke(t, "call", "http://127.0.0.1:1/", "-o", gone).expect(t, 3, "")
		if _, err := os.Stat(gone); err == nil {
			t.Error("a file was written")
		}
	})
	t.Run("no such folder", func(t *testing.T) {
		got := invoke(t, "call", srv.URL+"/json", "-o", filepath.Join(dir, "no", "body"))
		if got.code != 2 || !strings.Contains(got.stderr, "there is no folder") {
			t.Errorf("exit %d\n%s", got.code, got.stderr)
		}
	})
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// REST by annotation, and by an explicit path with the message as body.
func TestCallREST(t *testing.T) {
	srv := startWeb(t)
	proto := writeFile(t, "r.proto", `syntax="proto3"; package r; import "google/api/annotations.proto";
message Q { string name = 1; int64 n = 2; }
service S { rpc Get(Q) returns (Q) { option (google.api.http) = { get: "/echo/{name}" }; } rpc Post(Q) returns (Q) { option (google.api.http) = { post: "/echo" body: "*" }; } rpc None(Q) returns (Q); }`)
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"a body", []string{srv.URL, "--call", "r.S/Post", "-d", `{"name":"a","n":9223372036854775807}`}, 0,
			`POST /echo application/json|{"name":"a","n":"9223372036854775807"}`, ""},
		{"an explicit path", []string{srv.URL + "/echo", "-X", "PATCH", "--call", "r.S/None", "-d", `{"n":1}`}, 0, `PATCH /echo application/json|{"n":"1"}`, ""},
		{"no annotation and no path", []string{srv.URL, "--call", "r.S/None", "-d", `{"n":1}`}, 2, "", "no google.api.http annotation"},
		{"a field too many", []string{srv.URL, "--call", "r.S/Post", "-d", `{"nn":1}`}, 2, "", `unknown field "nn" in message r.Q`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, append([]string{"call", "--proto", proto}, c.args...)...)
			got.expect(t, c.code, c.stdout)
			if !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("standard error %q, want %q", got.stderr, c.stderr)
			}
		})
	}
}
