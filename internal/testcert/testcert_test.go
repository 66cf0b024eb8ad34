package testcert

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestHandshake(t *testing.T) {
	ca, other := newCA(t), newCA(t)
	rows := []struct {
		name    string
		signer  *CA
		request Request
		want    string // part of the client's error; empty: none
	}{
		{"a valid certificate", ca, Request{}, ""},
		{"expired", ca, Request{Expired: true}, "expired"},
		{"another name", ca, Request{Names: []string{"elsewhere.test"}}, "elsewhere.test"},
		{"another authority", other, Request{}, "unknown authority"},
		{"a client's certificate on a server", ca, Request{Client: true}, "incompatible key usage"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			cert, err := row.signer.Issue(row.request)
			if err != nil {
				t.Fatal(err)
			}
			err = shake(t, &tls.Config{Certificates: []tls.Certificate{cert}}, ca.Client())
			if row.want == "" && err != nil {
				t.Fatalf("handshake: %v", err)
			}
			if row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Fatalf("handshake: %v, want %q in it", err, row.want)
			}
		})
	}
}

func TestClientCertificate(t *testing.T) {
	ca := newCA(t)
	server, err := ca.Server()
	if err != nil {
		t.Fatal(err)
	}
	server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool()
	client := ca.Client()
	if err := shake(t, server, client); err == nil {
		t.Fatal("the server took a client without a certificate")
	}
	cert, err := ca.Issue(Request{Client: true, Names: []string{"someone"}})
	if err != nil {
		t.Fatal(err)
	}
	client.Certificates = []tls.Certificate{cert}
	if err := shake(t, server, client); err != nil {
		t.Fatalf("the server refused a good client: %v", err)
	}
}

func TestFiles(t *testing.T) {
	ca := newCA(t)
	cert, err := ca.Issue(Request{})
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile, err := WritePEM(t.TempDir(), "server", cert)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		t.Errorf("the pair cannot be read back: %v", err)
	}
	if info, err := os.Stat(keyFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode is %v (%v), want 0600", info.Mode(), err)
	}
	caFile, err := ca.WriteCA(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(caFile)
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(pem) {
		t.Errorf("the CA's file holds no certificate (%v)", err)
	}
	if _, err := ca.WriteCA("/nowhere/at/all"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("writing into a folder that is not there: %v", err)
	}
}

func newCA(t *testing.T) *CA {
	t.Helper()
	ca, err := NewCA()
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

// shake carries out a handshake over loopback, with one byte from the server so that the client learns of a late
// refusal, and returns the client's error.
func shake(t *testing.T, server, client *tls.Config) error {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		c.Write([]byte{1})
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), client)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Read(make([]byte, 1))
	return err
}
