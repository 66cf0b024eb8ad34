package http1

import (
	"strconv"

	"wiregauge"
)

// upload is the body of one request on its way out: what is queued of it, and how it is framed.
type upload struct {
	c       *wiregauge.Call // nil when nothing is being sent
	chunked bool
	part    []byte   // rest of the message being sent
	more    [][]byte // messages after it
	owned   []byte   // memory for the rest of a message that came through Send
	last    bool     // no message comes after these
	blocked bool     // a Send was refused: Room is owed
	// finished says that everything, the last chunk included, has been appended.
	finished bool
}

// lastChunk ends a chunked body without trailers (RFC 9112, section 7.1).
const lastChunk = "0\r\n\r\n"

func (u *upload) begin(c *wiregauge.Call, chunked bool) {
	*u = upload{c: c, chunked: chunked, more: c.Messages, owned: u.owned, last: !c.Open}
	c.Queued = 0
	for _, m := range c.Messages {
		c.Queued += len(m)
	}
	if chunked {
		c.Queued += len(lastChunk) // chunk lines are not foreseen
	}
}

// add queues a message that came through Send.
func (u *upload) add(message []byte, last bool) {
	u.part, u.last = message, last
	u.c.Queued += len(message)
}

// own copies what is left of a message that came through Send, for its memory is the caller's.
func (u *upload) own() {
	if len(u.part) > 0 {
		u.owned = append(u.owned[:0], u.part...)
		u.part = u.owned
	}
}

// queued reports whether part of an earlier message is not yet appended.
func (u *upload) queued() bool { return len(u.part) > 0 || len(u.more) > 0 }

// fill appends what is queued until out is limit bytes long.
func (u *upload) fill(out []byte, limit int, sent *wiregauge.Traffic) []byte {
	const line = 10 // the two line ends around a chunk and its size in hexadecimal
	for {
		for len(u.part) == 0 && len(u.more) > 0 {
			u.part, u.more = u.more[0], u.more[1:]
		}
		room := limit - len(out)
		if u.chunked {
			room -= line
		}
		if len(u.part) == 0 || room <= 0 {
			break
		}
		n := min(room, len(u.part))
		out = u.append(out, u.part[:n], sent)
		u.part = u.part[n:]
	}
	if u.queued() || !u.last || u.finished {
		return out
	}
	if u.chunked {
		out = append(out, lastChunk...)
		sent.Framing += int64(len(lastChunk))
		u.c.Queued -= len(lastChunk)
	}
	u.finished = true
	return out
}

// append frames p.
func (u *upload) append(out, p []byte, sent *wiregauge.Traffic) []byte {
	before := len(out)
	if u.chunked {
		out = strconv.AppendUint(out, uint64(len(p)), 16)
		out = append(out, '\r', '\n')
	}
	out = append(out, p...)
	if u.chunked {
		out = append(out, '\r', '\n')
	}
	sent.Body += int64(len(p))
	sent.Framing += int64(len(out) - before - len(p))
	u.c.Queued -= len(p)
	return out
}
