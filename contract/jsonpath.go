package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// plainName is a key that is written with a dot: lines[1].sku.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pathAt names the value or key at a place of JSON as a user would: m.k, lines[1].sku, k["5"]. It is empty at the top
// and where the JSON is broken before.
func pathAt(text []byte, line, column int) string {
	p := pather{dec: json.NewDecoder(bytes.NewReader(text)), at: byteAt(text, line, column)}
	p.dec.UseNumber()
	if !p.value() {
		return ""
	}
	return strings.TrimPrefix(strings.Join(p.steps, ""), ".")
}

// A pather follows JSON and keeps the steps that lead to where it is.
type pather struct {
	dec   *json.Decoder
	at    int64
	steps []string
}

// value walks one value and reports whether the place is in it; the steps then lead there.
func (p *pather) value() bool {
	t, err := p.dec.Token()
	if err != nil || p.reached() {
		return err == nil
	}
	switch t {
	case json.Delim('{'):
		return p.members()
	case json.Delim('['):
		return p.elements()
	}
	return false
}

func (p *pather) members() bool {
	for p.dec.More() {
		t, err := p.dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return false
		}
		step := "." + name
		if !plainName.MatchString(name) {
			step = fmt.Sprintf("[%q]", name)
		}
		p.steps = append(p.steps, step)
		if p.reached() || p.value() {
			return true
		}
		p.steps = p.steps[:len(p.steps)-1]
	}
	_, err := p.dec.Token()
	return err == nil && p.reached()
}

func (p *pather) elements() bool {
	for i := 0; p.dec.More(); i++ {
		p.steps = append(p.steps, fmt.Sprintf("[%d]", i))
		if p.value() {
			return true
		}
		p.steps = p.steps[:len(p.steps)-1]
	}
	_, err := p.dec.Token()
	return err == nil && p.reached()
}

// reached reports whether what was read last holds the place, or lies behind it.
func (p *pather) reached() bool { return p.dec.InputOffset() > p.at }
