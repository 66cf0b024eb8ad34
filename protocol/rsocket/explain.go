package rsocket

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"wiregauge/internal/visible"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
	"wiregauge/protocol/rsocket/websocket"
)

// mostExplained is how much of a frame is looked at, in bytes: what is worth telling stands at its front.
const mostExplained = 4 << 10

// An explainer puts frames into words, a line for each. Whether they lie in WebSocket shows in the first bytes.
type explainer struct{ sides [2]explained }

// explained is one direction.
type explained struct {
	rest     []byte
	skip     int // bytes of the present frame that nobody looks at
	begun    bool
	web      bool
	upgraded bool
	lost     bool
}

// Explain feeds bytes of one direction.
func (e *explainer) Explain(p []byte, sent bool, line func(string)) {
	side := &e.sides[0]
	if sent {
		side = &e.sides[1]
	}
	for !side.lost {
		n := min(side.skip, len(p))
		side.skip, p = side.skip-n, p[n:]
		if len(p) == 0 && (len(side.rest) == 0 || n > 0) {
			return
		}
		side.rest, p = append(side.rest, p...), nil
		used, text := side.next()
		if used == 0 {
			return
		}
		if text != "" {
			line(text)
		}
		side.skip = max(used-len(side.rest), 0)
		side.rest = side.rest[:copy(side.rest, side.rest[min(used, len(side.rest)):])]
	}
}

// next puts the first frame of rest into words and says how many bytes it has, which may be more than are there; 0 asks
// for more.
func (x *explained) next() (used int, text string) {
	if !x.begun {
		if len(x.rest) < 3 {
			return 0, ""
		}
		x.begun, x.web = true, string(x.rest[:3]) == "GET" || string(x.rest[:3]) == "HTT"
	}
	switch {
	case !x.web:
		return x.prefixed()
	case !x.upgraded:
		return x.upgrade()
	}
	return x.message()
}

func (x *explained) prefixed() (used int, text string) {
	if len(x.rest) < frame.PrefixLen {
		return 0, ""
	}
	n := frame.Uint24(x.rest)
	p := x.rest[frame.PrefixLen:]
	if len(p) < min(n, mostExplained) {
		return 0, ""
	}
	return frame.PrefixLen + n, words(p[:min(n, len(p), mostExplained)], n)
}

// upgrade shows the first line of the upgrade.
func (x *explained) upgrade() (used int, text string) {
	end := bytes.Index(x.rest, []byte("\r\n\r\n"))
	if end < 0 {
		x.lost = len(x.rest) > websocket.MaxUpgrade
		return 0, ""
	}
	first, _, _ := strings.Cut(string(x.rest[:end]), "\r\n")
	x.upgraded = true
	x.lost = strings.HasPrefix(first, "HTTP/") && !strings.Contains(first, " 101")
	return end + 4, printable(first)
}

func (x *explained) message() (used int, text string) {
	h, n, err := websocket.Read(x.rest)
	if err != nil {
		x.lost = true
		return len(x.rest), "WebSocket: " + printable(err.Error())
	}
	p := x.rest[n:]
	if n == 0 || len(p) < min(h.Len, mostExplained) {
		return 0, ""
	}
	p = bytes.Clone(p[:min(h.Len, len(p), mostExplained)])
	if h.Masked {
		websocket.Apply(h.Mask, 0, p)
	}
	switch {
	case h.Op == websocket.Close:
		return n + h.Len, "WebSocket close " + printable(websocket.CloseText(p))
	case h.Op != websocket.Binary || !h.Fin:
		return n + h.Len, fmt.Sprintf("WebSocket %s of %d bytes", h.Op, h.Len)
	}
	return n + h.Len, words(p, h.Len)
}

// words puts one frame of n bytes into words; p is its front.
func words(p []byte, n int) string {
	if len(p) < frame.HeadLen {
		return fmt.Sprintf("a frame of %d bytes", n)
	}
	f, err := frame.Decode(p)
	where := fmt.Sprintf("%s %d bytes", f.Type, n)
	if f.Stream != 0 {
		where = fmt.Sprintf("%s stream %d, %d bytes", f.Type, f.Stream, n)
	}
	where += flagWords(f.Type, f.Flags)
	if err != nil && n == len(p) {
		return where + ": " + printable(err.Error())
	}
	if err != nil {
		return where // what is missing is not worth to be kept
	}
	details := append(fieldWords(&f), partWords(&f, n-len(p)+len(f.Data))...)
	if len(details) == 0 {
		return where
	}
	return where + ": " + strings.Join(details, ", ")
}

// flagWords names the flags as each type does.
func flagWords(t frame.Type, flags frame.Flags) (text string) {
	names := map[frame.Flags]string{frame.Follows: "FOLLOWS", frame.Complete: "COMPLETE", frame.Next: "NEXT", frame.Ignore: "IGNORE", frame.Meta: "METADATA"}
	switch t {
	case frame.Setup:
		names[frame.Resuming], names[frame.Leasing] = "RESUME", "LEASE"
	case frame.KeepAlive:
		names[frame.Respond] = "RESPOND"
	}
	for bit := frame.Ignore; bit >= 1; bit >>= 1 {
		if name, ok := names[bit]; ok && flags&bit != 0 {
			text += " " + name
		}
	}
	return text
}

// fieldWords tells the fields of the type.
func fieldWords(f *frame.Frame) []string {
	switch f.Type {
	case frame.Setup:
		return []string{fmt.Sprintf("version %d.%d", f.Major, f.Minor), "keep-alive " + ms(f.KeepAlive), "lifetime " + ms(f.Lifetime),
			"metadata is " + printable(string(f.MetadataMIME)), "data is " + printable(string(f.DataMIME))}
	case frame.Lease:
		return []string{fmt.Sprintf("%d requests", f.N), "for " + ms(f.TTL)}
	case frame.RequestStream, frame.RequestChannel, frame.RequestN:
		if f.N&frame.MaxN == frame.MaxN {
			return []string{"n unbounded"}
		}
		return []string{fmt.Sprintf("n %d", f.N)}
	case frame.Error:
		return []string{strings.TrimSpace(codeWords(frame.Code(f.N)) + " " + printable(string(f.Data)))}
	case frame.Ext:
		return []string{fmt.Sprintf("type 0x%x", f.N)}
	}
	return nil
}

func ms(n uint32) string { return (time.Duration(n) * time.Millisecond).String() }

// partWords tells the sizes of metadata and data, and the route.
func partWords(f *frame.Frame, data int) (words []string) {
	if route, ok, _ := metadata.Route(f.Metadata); ok {
		words = append(words, "route "+printable(route))
	}
	if f.Metadata != nil {
		words = append(words, fmt.Sprintf("metadata %d bytes", len(f.Metadata)))
	}
	if data > 0 && f.Type != frame.Error {
		words = append(words, fmt.Sprintf("data %d bytes", data))
	}
	return words
}

// printable shows a peer's text on one line, without anything a terminal would obey.
func printable(s string) string { return strings.ReplaceAll(visible.Text(s), "\n", `\n`) }
