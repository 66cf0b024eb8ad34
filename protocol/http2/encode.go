package http2

import (
	"strconv"
	"sync"

	"golang.org/x/net/http2/hpack"

	"wiregauge"
)

// The first bits of the representations of RFC 7541, section 6, and the size of their integer's prefix.
const (
	indexedBit, indexedPrefix         = 0x80, 7
	insertBit, insertPrefix           = 0x40, 6
	sizeUpdateBit, sizeUpdatePrefix   = 0x20, 5
	neverBit, literalBit, plainPrefix = 0x10, 0x00, 4
	huffmanBit, stringPrefix          = 0x80, 7
	staticEntries                     = 61
	entryOverhead                     = 32
)

// An encoder is the sending half of HPACK for blocks that are sent again and again: it indexes what it may, never
// evicts, and writes literals without indexing once its table is full. So an index, once given out, only moves
// when something is inserted, and version tells whether that has happened.
type encoder struct {
	entries []wiregauge.Field // the dynamic table, oldest first
	size    uint32
	limit   uint32 // the table's greatest size: the peer's word, never above 4,096
	version uint32 // changes with every insertion and with every change of the limit
	// A change of the limit is announced at the start of the next block (RFC 7541, section 4.2).
	changed bool
	shrunk  bool
	lengths []indexedLength
}

// An indexedLength is a content-length that stands in the table.
type indexedLength struct{ length, place int }

// indexedLengths bounds how many content-lengths are put into the table: enough for a few different bodies, and
// the rest cost a literal each.
const indexedLengths = 8

func newEncoder() encoder { return encoder{limit: defaultTableSize, version: 1} }

// setLimit follows the peer's HEADER_TABLE_SIZE.
func (e *encoder) setLimit(peer uint32) {
	limit := min(peer, defaultTableSize)
	if limit == e.limit {
		return
	}
	if limit < e.limit {
		e.shrunk = true
		e.entries, e.lengths, e.size = e.entries[:0], e.lengths[:0], 0
	}
	e.limit, e.changed = limit, true
	e.version++
}

// appendUpdate appends the size updates that the next block owes. A smaller table is emptied first (size 0), so
// that both ends agree on what is in it without our following the peer's evictions.
func (e *encoder) appendUpdate(out []byte) []byte {
	if !e.changed {
		return out
	}
	if e.shrunk {
		out = appendInt(out, sizeUpdateBit, sizeUpdatePrefix, 0)
	}
	if !e.shrunk || e.limit > 0 {
		out = appendInt(out, sizeUpdateBit, sizeUpdatePrefix, uint64(e.limit))
	}
	e.changed, e.shrunk = false, false
	return out
}

// appendField appends one field, inserting it into the table when it has room.
func (e *encoder) appendField(out []byte, f wiregauge.Field) []byte {
	exact, name := e.find(f)
	if exact > 0 && !f.Sensitive {
		return appendInt(out, indexedBit, indexedPrefix, exact)
	}
	size := uint32(len(f.Name) + len(f.Value) + entryOverhead)
	switch {
	case f.Sensitive:
		out = appendInt(out, neverBit, plainPrefix, name)
	case e.size+size <= e.limit:
		out = appendInt(out, insertBit, insertPrefix, name)
		e.entries = append(e.entries, f)
		e.size += size
		e.version++
	default:
		out = appendInt(out, literalBit, plainPrefix, name)
	}
	if name == 0 {
		out = appendString(out, f.Name)
	}
	return appendString(out, f.Value)
}

// find looks a field up in both tables: the index of the whole field and that of its name, 0 for none.
func (e *encoder) find(f wiregauge.Field) (exact, name uint64) {
	table := static()
	for _, i := range table.byName[f.Name] {
		if name = uint64(i); table.values[i] == f.Value {
			return name, name
		}
	}
	for i := len(e.entries) - 1; i >= 0; i-- {
		if e.entries[i].Name != f.Name {
			continue
		}
		if e.entries[i].Value == f.Value {
			return e.index(i), e.index(i)
		}
		if name == 0 {
			name = e.index(i)
		}
	}
	return 0, name
}

// index is the number by which entry i goes today: the newest is 62.
func (e *encoder) index(i int) uint64 { return uint64(staticEntries + len(e.entries) - i) }

// appendLength appends a content-length. It stands behind the constant block because bodies of one header set
// may differ in it.
func (e *encoder) appendLength(out []byte, length int) []byte {
	for _, l := range e.lengths {
		if l.length == length {
			return appendInt(out, indexedBit, indexedPrefix, e.index(l.place))
		}
	}
	f := wiregauge.Field{Name: "content-length", Value: ""}
	if len(e.lengths) < indexedLengths {
		before := len(e.entries)
		f.Value = strconv.Itoa(length)
		out = e.appendField(out, f)
		if len(e.entries) > before {
			e.lengths = append(e.lengths, indexedLength{length, before})
		}
		return out
	}
	const nameIndex = 28
	var digits [20]byte
	value := strconv.AppendInt(digits[:0], int64(length), 10)
	out = appendInt(out, literalBit, plainPrefix, nameIndex)
	out = appendInt(out, 0, stringPrefix, uint64(len(value)))
	return append(out, value...)
}

// appendInt appends an integer with a prefix of that many bits (RFC 7541, section 5.1).
func appendInt(out []byte, first byte, prefix uint, v uint64) []byte {
	most := uint64(1)<<prefix - 1
	if v < most {
		return append(out, first|byte(v))
	}
	out = append(out, first|byte(most))
	for v -= most; v >= 0x80; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v))
}

// appendString appends a string, Huffman coded where that is shorter.
func appendString(out []byte, s string) []byte {
	if n := hpack.HuffmanEncodeLength(s); n < uint64(len(s)) {
		out = appendInt(out, huffmanBit, stringPrefix, n)
		return hpack.AppendHuffmanString(out, s)
	}
	out = appendInt(out, 0, stringPrefix, uint64(len(s)))
	return append(out, s...)
}

// A staticTable is that of RFC 7541, appendix A.
type staticTable struct {
	byName map[string][]int
	values [staticEntries + 1]string
}

// static reads the table out of the library once: each entry is what its one-byte block decodes to.
var static = sync.OnceValue(func() *staticTable {
	t := &staticTable{byName: map[string][]int{}}
	for i := 1; i <= staticEntries; i++ {
		fields, err := hpack.NewDecoder(0, nil).DecodeFull([]byte{indexedBit | byte(i)})
		if err != nil {
			continue
		}
		t.byName[fields[0].Name] = append(t.byName[fields[0].Name], i)
		t.values[i] = fields[0].Value
	}
	return t
})
