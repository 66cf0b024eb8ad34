// Package testcert makes a certificate authority and the certificates it signs: valid ones, expired ones, ones
// for another name, for servers and for clients. The reference services and tests use it; it is not for
// production, for its keys live only as long as the process.
package testcert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A CA signs certificates. It is safe for concurrent use.
type CA struct {
	Certificate *x509.Certificate
	// PEM is the certificate as --cacert reads it.
	PEM []byte
	key *ecdsa.PrivateKey
}

// A Request says what a certificate is for. The zero value is a server on loopback, valid for a day.
type Request struct {
	Names   []string // host names and IP addresses; nil means localhost, 127.0.0.1 and ::1
	Client  bool     // for a client instead of a server
	Expired bool     // its time ended an hour ago
}

// NewCA makes an authority that is valid for a year.
func NewCA() (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          serial(),
		Subject:               pkix.Name{CommonName: "wiregauge test CA", Organization: []string{"wiregauge"}},
		NotBefore:             now.Add(-48 * time.Hour),
		NotAfter:              now.AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &CA{Certificate: cert, PEM: block("CERTIFICATE", der), key: key}, nil
}

// Issue makes a certificate with a new key.
func (ca *CA) Issue(r Request) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, r.template(), ca.Certificate, &key.PublicKey, ca.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

func (r Request) template() *x509.Certificate {
	if r.Names == nil {
		r.Names = []string{"localhost", "127.0.0.1", "::1"}
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: serial(),
		Subject:      pkix.Name{CommonName: "wiregauge test", Organization: []string{"wiregauge"}},
		NotBefore:    now.Add(-24 * time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if len(r.Names) > 0 {
		t.Subject.CommonName = r.Names[0]
	}
	if r.Expired {
		t.NotAfter = now.Add(-time.Hour)
	}
	if r.Client {
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	for _, name := range r.Names {
		if ip := net.ParseIP(name); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
			continue
		}
		t.DNSNames = append(t.DNSNames, name)
	}
	return t
}

// Pool holds the authority alone.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.Certificate)
	return pool
}

// Server is a server's configuration with a certificate for the names; nil means loopback. The ALPN list is the
// caller's.
func (ca *CA) Server(names ...string) (*tls.Config, error) {
	cert, err := ca.Issue(Request{Names: names})
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// Client is a client's configuration that trusts the authority and expects localhost.
func (ca *CA) Client() *tls.Config {
	return &tls.Config{RootCAs: ca.Pool(), ServerName: "localhost", MinVersion: tls.VersionTLS12}
}

// WritePEM puts the certificate and its key into dir as NAME.pem and NAME.key and returns the two paths.
func WritePEM(dir, name string, cert tls.Certificate) (certFile, keyFile string, err error) {
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		return "", "", err
	}
	certFile, keyFile = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	if err := os.WriteFile(certFile, block("CERTIFICATE", cert.Certificate[0]), 0o644); err != nil {
		return "", "", err
	}
	return certFile, keyFile, os.WriteFile(keyFile, block("PRIVATE KEY", key), 0o600)
}

// WriteCA puts the authority's certificate into dir as ca.pem and returns its path.
func (ca *CA) WriteCA(dir string) (string, error) {
	file := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(file, ca.PEM, 0o644); err != nil {
		return "", fmt.Errorf("the CA's file: %w", err)
	}
	return file, nil
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// serial is a random serial number of 127 bits (RFC 5280, section 4.1.2.2, allows 20 octets).
func serial() *big.Int {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[0] &= 0x7f
	return new(big.Int).SetBytes(b[:])
}
