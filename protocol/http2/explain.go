package http2

import (
	"fmt"
	"strings"

	"golang.org/x/net/http2/hpack"

	"wiregauge"
	"wiregauge/internal/visible"
)

// NewExplainer makes what puts the frames of one connection into words, a line for each.
func NewExplainer(framing Framing) wiregauge.Explainer {
	return &explainer{framing: framing, sides: [2]explained{newExplained(), newExplained()}}
}

type explainer struct {
	framing Framing
	sides   [2]explained
}

// explained is one direction: what is left of a partial frame, and the HPACK table.
type explained struct {
	rest     []byte
	began    bool
	lost     bool // a frame was too long to be kept: nothing behind it can be read
	hpack    *hpack.Decoder
	block    []byte
	messages map[uint32]*prefixes
}

func newExplained() explained {
	return explained{hpack: hpack.NewDecoder(defaultTableSize, nil), messages: map[uint32]*prefixes{}}
}

// prefixes follows the message prefixes of one stream.
type prefixes struct {
	have [prefixLen]byte
	n    int
	left int
}

// Explain feeds bytes of one direction.
func (e *explainer) Explain(p []byte, sent bool, line func(string)) {
	side := &e.sides[0]
	if sent {
		side = &e.sides[1]
	}
	if side.lost {
		return
	}
	side.rest = append(side.rest, p...)
	used := 0
	if sent && !side.began {
		if len(side.rest) < len(preface) {
			return
		}
		side.began = true
		if strings.HasPrefix(string(side.rest[:len(preface)]), preface) {
			line("preface")
			used = len(preface)
		}
	}
	for len(side.rest)-used >= frameHeaderLen {
		p := side.rest[used:]
		length := int(p[0])<<16 | int(p[1])<<8 | int(p[2])
		if length > 4*defaultFrameSize {
			line(fmt.Sprintf("%s of %d bytes", frameName(p[3]), length))
			side.lost, side.rest = true, nil
			return
		}
		if len(p) < frameHeaderLen+length {
			break
		}
		line(e.frame(side, p[3], p[4], readUint32(p[5:])&largestStream, p[frameHeaderLen:frameHeaderLen+length]))
		used += frameHeaderLen + length
	}
	side.rest = side.rest[:copy(side.rest, side.rest[used:])]
}

// frame puts one frame into words.
func (e *explainer) frame(side *explained, kind, flags byte, id uint32, p []byte) string {
	text := fmt.Sprintf("%s %d bytes", frameName(kind), len(p))
	if id != 0 {
		text = fmt.Sprintf("%s stream %d, %d bytes", frameName(kind), id, len(p))
	}
	switch kind {
	case frameData, frameHeaders:
		text += flagText(flags)
	case frameContinuation:
		text += flagText(flags & flagEndHeaders)
	}
	switch kind {
	case frameData:
		return text + e.dataText(side, flags, id, p)
	case frameHeaders, frameContinuation:
		return text + headerText(side, kind, flags, p)
	}
	return text + controlText(kind, flags, p)
}

func flagText(flags byte) (text string) {
	for _, f := range []struct {
		bit  byte
		name string
	}{{flagEndStream, "END_STREAM"}, {flagEndHeaders, "END_HEADERS"}, {flagPadded, "PADDED"}, {flagPriority, "PRIORITY"}} {
		if flags&f.bit != 0 {
			text += " " + f.name
		}
	}
	return text
}

// bare takes padding and priority away, as far as they are well formed.
func bare(kind, flags byte, p []byte) []byte {
	if kind > frameHeaders {
		return p
	}
	if flags&flagPadded != 0 && len(p) > 0 && int(p[0]) < len(p) {
		p = p[1 : len(p)-int(p[0])]
	}
	if kind == frameHeaders && flags&flagPriority != 0 && len(p) >= priorityLen {
		p = p[priorityLen:]
	}
	return p
}

func headerText(side *explained, kind, flags byte, p []byte) string {
	side.block = append(side.block, bare(kind, flags, p)...)
	if flags&flagEndHeaders == 0 {
		return ""
	}
	fields, err := side.hpack.DecodeFull(side.block)
	side.block = side.block[:0]
	if err != nil {
		return ": cannot be decoded: " + err.Error()
	}
	var b strings.Builder
	between := ": "
	for _, f := range fields {
		b.WriteString(between + printable(f.Name))
		if f.Value != "" {
			b.WriteString(" " + printable(f.Value))
		}
		between = ", "
	}
	return b.String()
}

// dataText tells of the message prefixes in a DATA frame.
func (e *explainer) dataText(side *explained, flags byte, id uint32, p []byte) (text string) {
	if e.framing != Prefixed {
		return ""
	}
	m := side.messages[id]
	if m == nil {
		m = &prefixes{}
		side.messages[id] = m
	}
	p = bare(frameData, flags, p)
	for len(p) > 0 {
		if m.left > 0 {
			n := min(m.left, len(p))
			m.left, p = m.left-n, p[n:]
			continue
		}
		n := copy(m.have[m.n:], p)
		m.n, p = m.n+n, p[n:]
		if m.n == prefixLen {
			m.n, m.left = 0, int(readUint32(m.have[1:]))
			text += fmt.Sprintf("; message of %d bytes", m.left)
			if m.have[0] != 0 {
				text += fmt.Sprintf(", flag %d", m.have[0])
			}
		}
	}
	if flags&flagEndStream != 0 {
		delete(side.messages, id)
	}
	return text
}

var settingNames = [...]string{"", "HEADER_TABLE_SIZE", "ENABLE_PUSH", "MAX_CONCURRENT_STREAMS", "INITIAL_WINDOW_SIZE", "MAX_FRAME_SIZE", "MAX_HEADER_LIST_SIZE"}

func controlText(kind, flags byte, p []byte) string {
	switch {
	case kind == frameSettings && flags&flagAck != 0:
		return " ACK"
	case kind == frameSettings:
		return settingsText(p)
	case kind == framePing && flags&flagAck != 0:
		return fmt.Sprintf(" ACK %x", p)
	case kind == framePing:
		return fmt.Sprintf(" %x", p)
	case kind == frameReset && len(p) == 4:
		return " " + Code(readUint32(p)).String()
	case kind == frameWindowUpdate && len(p) == 4:
		return fmt.Sprintf(" +%d", readUint32(p)&largestWindow)
	case kind == frameGoAway && len(p) >= 8:
		return fmt.Sprintf(" last stream %d, %s", readUint32(p)&largestStream, printable(farewell(Code(readUint32(p[4:])), p[8:])[len("GOAWAY "):]))
	}
	return ""
}

func settingsText(p []byte) (text string) {
	for ; len(p) >= settingLen; p = p[settingLen:] {
		id, v := int(p[0])<<8|int(p[1]), readUint32(p[2:])
		name := fmt.Sprintf("setting %d", id)
		if id > 0 && id < len(settingNames) {
			name = settingNames[id]
		}
		text += fmt.Sprintf(" %s %d", name, v)
	}
	return text
}

// printable shows a peer's text on one line, without anything a terminal would obey.
func printable(s string) string { return strings.ReplaceAll(visible.Text(s), "\n", `\n`) }
