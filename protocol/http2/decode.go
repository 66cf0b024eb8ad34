package http2

import (
	"bytes"

	"golang.org/x/net/http2/hpack"

	"wiregauge"
)

// A decoder is the receiving half of HPACK: the library's decoder behind a memory of blocks. A server that
// answers every call alike sends the same few bytes again and again; such a block is decoded once, as long as
// it changes no table and the table it refers to is still the same.
type decoder struct {
	hpack   *hpack.Decoder
	limit   int // most bytes of one header list, as RFC 9113, section 6.5.2 counts them
	version uint32
	head    *Head // being decoded
	memory  [memorySlots]memorySlot
}

type memorySlot struct {
	version uint32
	block   []byte
	head    *Head
}

const (
	memorySlots = 32
	// What is kept is bounded: 32 blocks of at most 1 KiB that stand for at most 8 KiB each.
	memoryBlock = 1 << 10
	memoryList  = 8 << 10
)

func newDecoder(limit int) *decoder {
	d := &decoder{limit: limit, version: 1}
	d.hpack = hpack.NewDecoder(defaultTableSize, d.field)
	return d
}

// decode returns what block holds. An error means that the two tables have parted: the connection is over.
func (d *decoder) decode(block []byte) (*Head, error) {
	slot := &d.memory[0]
	if n := len(block); n > 0 {
		slot = &d.memory[(uint(block[0])^uint(block[n-1])<<1^uint(block[n/2])<<2^uint(n)<<3)%memorySlots]
	}
	if slot.version == d.version && bytes.Equal(slot.block, block) {
		return slot.head, nil
	}
	head := &Head{Length: -1}
	d.head = head
	d.hpack.SetEmitEnabled(true)
	_, err := d.hpack.Write(block)
	if end := d.hpack.Close(); err == nil {
		err = end
	}
	d.head = nil
	switch {
	case err != nil:
		return nil, err
	case changesTable(block):
		d.version++
	case len(block) <= memoryBlock && head.size <= memoryList:
		*slot = memorySlot{d.version, append(slot.block[:0], block...), head}
	}
	return head, nil
}

// field takes one field from the library. Past the limit the list is only measured, not kept: an HPACK bomb
// costs its bytes on the wire and no more.
func (d *decoder) field(f hpack.HeaderField) {
	d.head.size += int(f.Size())
	if d.head.size > d.limit {
		d.head.tooLarge = true
		d.hpack.SetEmitEnabled(false)
		return
	}
	d.head.add(wiregauge.Field{Name: f.Name, Value: f.Value, Sensitive: f.Sensitive})
}

// changesTable reports whether a block inserts into the dynamic table or resizes it. It is asked once the block
// is known to be well formed.
func changesTable(block []byte) bool {
	for len(block) > 0 {
		switch b := block[0]; {
		case b&indexedBit != 0:
			_, block = skipInt(block, indexedPrefix)
		case b&(insertBit|sizeUpdateBit) != 0:
			return true
		default:
			var name uint64
			if name, block = skipInt(block, plainPrefix); name == 0 {
				block = skipString(block)
			}
			block = skipString(block)
		}
	}
	return false
}

// skipInt reads an integer with a prefix of that many bits and returns what follows it.
func skipInt(p []byte, prefix uint) (v uint64, rest []byte) {
	if len(p) == 0 {
		return 0, nil
	}
	most := uint64(1)<<prefix - 1
	if v = uint64(p[0]) & most; v < most {
		return v, p[1:]
	}
	for i, shift := 1, 0; i < len(p) && shift < 63; i, shift = i+1, shift+7 {
		v += uint64(p[i]&0x7f) << shift
		if p[i]&0x80 == 0 {
			return v, p[i+1:]
		}
	}
	return v, nil
}

func skipString(p []byte) []byte {
	n, rest := skipInt(p, stringPrefix)
	if n > uint64(len(rest)) {
		return nil
	}
	return rest[n:]
}
