package websocket

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// MaxUpgrade is the longest head of an upgrade that is read, in bytes.
const MaxUpgrade = 64 << 10

// Accept is what a server answers to a key (RFC 6455, section 4.2.2).
func Accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// A Field is one header field of the upgrade.
type Field struct{ Name, Value string }

// AppendRequest appends the client's side of the upgrade.
func AppendRequest(out []byte, path, host, key string, more []Field) []byte {
	if path == "" {
		path = "/"
	}
	out = append(out, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: "+key+"\r\nSec-WebSocket-Version: 13\r\n"...)
	for _, f := range more {
		out = append(out, f.Name+": "+f.Value+"\r\n"...)
	}
	return append(out, "\r\n"...)
}

// AppendResponse appends the server's side of the upgrade.
func AppendResponse(out []byte, key string) []byte {
	return append(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+Accept(key)+"\r\n\r\n"...)
}

// head cuts the head off p: its lines, and how many bytes it takes, 0 when it is not whole yet. An answer that cannot
// become one that begins as it must is refused at once.
func head(p []byte, begins string) (lines []string, n int, err error) {
	if m := min(len(p), len(begins)); string(p[:m]) != begins[:m] {
		return nil, 0, fmt.Errorf("%q where %q begins the upgrade to WebSocket", p[:min(len(p), 16)], begins)
	}
	end := bytes.Index(p[:min(len(p), MaxUpgrade)], []byte("\r\n\r\n"))
	if end < 0 {
		if len(p) >= MaxUpgrade {
			return nil, 0, fmt.Errorf("a head of more than %d bytes in the upgrade to WebSocket", MaxUpgrade)
		}
		return nil, 0, nil
	}
	return strings.Split(string(p[:end]), "\r\n"), end + 4, nil
}

// field finds a header field; its values are joined with commas.
func field(lines []string, name string) string {
	var all []string
	for _, l := range lines[1:] {
		key, value, _ := strings.Cut(l, ":")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return strings.Join(all, ", ")
}

// holds reports whether a list of tokens holds one.
func holds(list, token string) bool {
	for _, t := range strings.Split(list, ",") {
		if strings.EqualFold(strings.TrimSpace(t), token) {
			return true
		}
	}
	return false
}

// A StatusError is an upgrade that the server answered with another status than 101.
type StatusError struct {
	Status string // "404 Not Found"
}

// Error says what came and what was expected.
func (e *StatusError) Error() string {
	return "the server answered " + e.Status + " to the upgrade to WebSocket; 101 was expected"
}

// ReadResponse reads the server's side of the upgrade with that key and says how many bytes it takes, 0 when it is not
// whole yet.
func ReadResponse(p []byte, key string) (n int, err error) {
	lines, n, err := head(p, "HTTP/1.")
	if err != nil || n == 0 {
		return 0, err
	}
	_, status, _ := strings.Cut(lines[0], " ")
	if !strings.HasPrefix(status, "101") {
		return n, &StatusError{Status: status}
	}
	if got, want := field(lines, "Sec-WebSocket-Accept"), Accept(key); got != want {
		return n, fmt.Errorf("the upgrade to WebSocket was answered with Sec-WebSocket-Accept %q; %q was expected", got, want)
	}
	if extensions := field(lines, "Sec-WebSocket-Extensions"); extensions != "" {
		return n, fmt.Errorf("the server insists on the WebSocket extension %q, which was not offered", extensions)
	}
	return n, nil
}

// What a server tells clients that do not upgrade.
var errNoUpgrade = errors.New("the client does not ask for an upgrade to WebSocket")

// ReadRequest reads the client's side of the upgrade: its path and key, and how many bytes it takes, 0 when it is not
// whole yet.
func ReadRequest(p []byte) (path, key string, n int, err error) {
	lines, n, err := head(p, "GET ")
	if err != nil || n == 0 {
		return "", "", 0, err
	}
	parts := strings.Split(lines[0], " ")
	key = field(lines, "Sec-WebSocket-Key")
	if len(parts) != 3 || key == "" || !strings.EqualFold(field(lines, "Upgrade"), "websocket") || !holds(field(lines, "Connection"), "upgrade") {
		return "", "", n, errNoUpgrade
	}
	return parts[1], key, n, nil
}

// CloseText puts the payload of a close frame into words.
func CloseText(p []byte) string {
	if len(p) < 2 {
		return "without a code"
	}
	text := fmt.Sprintf("with code %d", int(p[0])<<8|int(p[1]))
	if len(p) > 2 {
		text += fmt.Sprintf(" and %q", p[2:])
	}
	return text
}
