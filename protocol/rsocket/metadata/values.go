package metadata

import (
	"encoding/binary"
	"fmt"
)

// AppendTag appends one tag of a routing entry (RSocket extension "Routing"): at most 255 bytes.
func AppendTag(out []byte, tag string) ([]byte, error) {
	if len(tag) > 255 {
		return out, fmt.Errorf("a route of %d bytes: %w; 255 are the most", len(tag), ErrLong)
	}
	return append(append(out, byte(len(tag))), tag...), nil
}

// Tags reads a routing entry. The first tag is the route.
func Tags(p []byte) ([]string, error) {
	var tags []string
	for len(p) > 0 {
		n := int(p[0])
		if n > len(p)-1 {
			return tags, fmt.Errorf("%w: a route of %d bytes where %d are left", ErrMalformed, n, len(p)-1)
		}
		tags, p = append(tags, string(p[1:1+n])), p[1+n:]
	}
	return tags, nil
}

// Route finds the route in composite metadata: the first tag of the first routing entry, in either form of its MIME type.
func Route(composite []byte) (route string, found bool, err error) {
	for len(composite) > 0 {
		e, rest, err := Cut(composite)
		if err != nil {
			return "", false, err
		}
		if e.MIME == Routing {
			tags, err := Tags(e.Data)
			if err != nil || len(tags) == 0 {
				return "", false, err
			}
			return tags[0], true, nil
		}
		composite = rest
	}
	return "", false, nil
}

// The kinds of authentication (RSocket extension "Authentication").
const (
	simple = 0x80
	bearer = 0x81
)

// Simple is the authentication entry of a user and a password.
func Simple(user, password string) ([]byte, error) {
	if len(user) > 0xffff {
		return nil, fmt.Errorf("a user of %d bytes: %w; 65535 are the most", len(user), ErrLong)
	}
	out := binary.BigEndian.AppendUint16([]byte{simple}, uint16(len(user)))
	return append(append(out, user...), password...), nil
}

// Bearer is the authentication entry of a token.
func Bearer(token string) []byte { return append([]byte{bearer}, token...) }

// Credentials are what an authentication entry holds.
type Credentials struct {
	Kind           string // "simple", "bearer", or the name of another kind
	User, Password string // simple
	Token          string // bearer; of another kind all that follows its name
}

// ReadCredentials reads an authentication entry, whose kind is a number or a name.
func ReadCredentials(p []byte) (Credentials, error) {
	if len(p) == 0 {
		return Credentials{}, fmt.Errorf("%w: an authentication entry of no bytes", ErrMalformed)
	}
	kind, rest := fmt.Sprintf("0x%02x", p[0]&0x7f), p[1:]
	switch {
	case p[0] == simple:
		kind = "simple"
	case p[0] == bearer:
		kind = "bearer"
	case p[0]&0x80 == 0:
		n := int(p[0]) + 1
		if n > len(rest) {
			return Credentials{}, fmt.Errorf("%w: a kind of authentication of %d bytes where %d are left", ErrMalformed, n, len(rest))
		}
		kind, rest = string(rest[:n]), rest[n:]
	}
	if kind != "simple" {
		return Credentials{Kind: kind, Token: string(rest)}, nil
	}
	if len(rest) < 2 {
		return Credentials{}, fmt.Errorf("%w: authentication without a user", ErrMalformed)
	}
	n := int(binary.BigEndian.Uint16(rest))
	if rest = rest[2:]; n > len(rest) {
		return Credentials{}, fmt.Errorf("%w: a user of %d bytes where %d are left", ErrMalformed, n, len(rest))
	}
	return Credentials{Kind: kind, User: string(rest[:n]), Password: string(rest[n:])}, nil
}

// AppendTypes appends MIME types as they stand in an entry of MIMEType (one) or AcceptTypes (several).
func AppendTypes(out []byte, types ...string) (_ []byte, err error) {
	for _, t := range types {
		if out, err = appendType(out, t, true); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Types reads an entry of MIMEType or AcceptTypes. A number without a name is shown in hex.
func Types(p []byte) ([]string, error) {
	var types []string
	for len(p) > 0 {
		mime, id, rest, err := cutType(p)
		if err != nil {
			return types, err
		}
		if mime == "" {
			mime = fmt.Sprintf("0x%02x", id)
		}
		types, p = append(types, mime), rest
	}
	return types, nil
}
