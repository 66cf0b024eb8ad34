package main

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"testing"
)

// serveBomb answers over HTTP with 8 MiB of zeros in a few kilobytes.
func serveBomb(t *testing.T) (address string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 8 {
			z.Write(make([]byte, 1<<20))
		}
		z.Close()
	}))
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetHTTP1(true)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

// TestCompressedBombs: where answers are looked at (--expect) they are inflated, and only as far as --max-reply allows.
func TestCompressedBombs(t *testing.T) {
	web, rpc := serveBomb(t), startSvc(t, true)
	for _, url := range []string{"http://" + web + "/", "h2c://" + web + "/", "grpc://" + rpc.address + "/t.Svc/Big"} {
		for _, client := range []string{"wire", "stack"} {
			t.Run(url[:4]+" "+client, func(t *testing.T) {
				args := []string{url, "-d", "{}", "--compress", "gzip", "--compressed", "--max-reply", "100kb", "--client", client}
				f, out := measured(t, exitErrors, append([]string{"run", "-n", "4", "-c", "2", "--expect", "body contains x"}, args...)...)
				arm := f.Arms[0]
				conserved(t, arm.Counts)
				if arm.OK != 0 || arm.Failed != 4 || len(arm.Errors) != 1 || arm.Errors[0].Class != "too large" {
					t.Errorf("%+v, %+v\n%s", arm.Counts, arm.Errors, out.stdout)
				}
				if arm.RecvBytes.Wire > 4*100_000 {
					t.Errorf("%d bytes came over the wire: that is no bomb", arm.RecvBytes.Wire)
				}
			})
		}
	}
}
