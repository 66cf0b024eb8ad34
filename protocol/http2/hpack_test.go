package http2

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"wiregauge"
	"wiregauge/protocol"
)

// block returns the header block of a stream as the session sent it.
func (p *peer) sentBlock(id uint32) (block []byte) {
	for _, f := range append(p.frames(xhttp2.FrameHeaders, id), p.frames(xhttp2.FrameContinuation, id)...) {
		block = append(block, f.data...)
	}
	return block
}

// decodeBlock decodes it with the library, as a server would.
func decodeBlock(t *testing.T, d *hpack.Decoder, block []byte) string {
	t.Helper()
	fields, err := d.DecodeFull(block)
	if err != nil {
		t.Fatalf("block %x: %v", block, err)
	}
	var text string
	for _, f := range fields {
		text += f.Name + "=" + f.Value + ";"
	}
	return text
}

func TestBlocksBecomeConstant(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	server := hpack.NewDecoder(4096, nil)
	a := &wiregauge.Request{Index: 0, Method: "POST /a", Messages: [][]byte{[]byte("12345")}, Header: []wiregauge.Field{{Name: "x-a", Value: "1"}}}
	b := &wiregauge.Request{Index: 1, Method: "GET /b", Header: []wiregauge.Field{{Name: "x-b", Value: "2"}}}
	wantA := ":method=POST;:scheme=http;:path=/a;:authority=test;user-agent=wiregauge/1;x-a=1;content-length=5;"
	wantB := ":method=GET;:scheme=http;:path=/b;:authority=test;user-agent=wiregauge/1;x-b=2;"
	var sizes []int
	for i, r := range []*wiregauge.Request{a, a, a, b, b, a, b} {
		id := uint32(2*i + 1)
		p.start(r)
		block := p.sentBlock(id)
		want := wantA
		if r == b {
			want = wantB
		}
		if got := decodeBlock(t, server, block); got != want {
			t.Errorf("block %d: %s, expected %s", i, got, want)
		}
		sizes = append(sizes, len(block))
		p.answer(id)
		p.feed()
	}
	if !slices.Equal(sizes[1:3], []int{7, 7}) || !slices.Equal(sizes[4:], []int{6, 7, 6}) {
		t.Errorf("block sizes %v, expected 7 and 6 bytes once all is in the table", sizes)
	}
}

// TestIndexSharedByMistake gives two header sets one Index: slower, but never the wrong headers.
func TestIndexSharedByMistake(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	server := hpack.NewDecoder(4096, nil)
	for i := range 6 {
		id := uint32(2*i + 1)
		p.start(&wiregauge.Request{Method: fmt.Sprintf("GET /%d", i%2)})
		want := fmt.Sprintf(":method=GET;:scheme=http;:path=/%d;:authority=test;user-agent=wiregauge/1;", i%2)
		if got := decodeBlock(t, server, p.sentBlock(id)); got != want {
			t.Errorf("call %d: %s, expected %s", i, got, want)
		}
	}
}

// TestManyLengths sends bodies of more lengths than the table is given.
func TestManyLengths(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	server := hpack.NewDecoder(4096, nil)
	for i := range 40 {
		id, n := uint32(2*i+1), i%20
		p.start(post(bytes.Repeat([]byte("x"), n)))
		want := fmt.Sprintf(":method=POST;:scheme=http;:path=/;:authority=test;user-agent=wiregauge/1;content-length=%d;", n)
		if got := decodeBlock(t, server, p.sentBlock(id)); got != want {
			t.Errorf("call %d: %s, expected %s", i, got, want)
		}
		p.answer(id)
		p.feed()
	}
}

// TestTableIsNeverOverfilled sends more header sets than fit the table: nothing is evicted, and the first set
// still costs a byte a field.
func TestTableIsNeverOverfilled(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	server := hpack.NewDecoder(4096, nil)
	first := &wiregauge.Request{Method: "GET /first"}
	p.start(first)
	decodeBlock(t, server, p.sentBlock(1))
	id := uint32(1)
	for i := range 100 {
		id += 2
		r := &wiregauge.Request{Index: 1 + i, Method: fmt.Sprintf("GET /%d", i), Header: []wiregauge.Field{{Name: "x", Value: fmt.Sprintf("%040d", i)}}}
		p.start(r)
		want := fmt.Sprintf(":method=GET;:scheme=http;:path=/%d;:authority=test;user-agent=wiregauge/1;x=%040d;", i, i)
		if got := decodeBlock(t, server, p.sentBlock(id)); got != want {
			t.Fatalf("set %d: %s, expected %s", i, got, want)
		}
	}
	p.start(first)
	if block := p.sentBlock(id + 2); len(block) != 2+3*2 {
		t.Errorf("the first set's block is %x, expected 8 bytes: indices above 126 take two", block)
	}
	if s := p.d.Session.(*Session).encoder.size; s > 4096 {
		t.Errorf("table of %d bytes", s)
	}
}

// TestPeerChangesTheTable follows HEADER_TABLE_SIZE down and up; the server's decoder is the library's.
func TestPeerChangesTheTable(t *testing.T) {
	for _, row := range []struct {
		name   string
		sizes  [][]uint32 // SETTINGS before each call
		prefix []string   // of each block, in hex
		length []int      // of each block behind its prefix, 0 for any
	}{
		{"to nothing", [][]uint32{nil, nil, {0}, nil}, []string{"", "", "20", ""}, []int{0, 5, 0, 0}},
		{"to half", [][]uint32{nil, nil, {2048}, nil, nil}, []string{"", "", "203fe10f", "", ""}, []int{0, 5, 0, 5, 5}},
		{"down and up between two blocks", [][]uint32{nil, nil, {0, 4096}, nil}, []string{"", "", "203fe11f", ""}, []int{0, 5, 0, 5}},
		{"down, then up", [][]uint32{nil, {0}, {4096}, nil}, []string{"", "20", "3fe11f", ""}, []int{0, 0, 0, 5}},
		{"above what we use", [][]uint32{nil, {65536}, nil}, []string{"", "", ""}, []int{0, 5, 5}},
		{"to what it was", [][]uint32{nil, {4096}, nil}, []string{"", "", ""}, []int{0, 5, 5}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPeer(t, protocol.Options{})
			server := hpack.NewDecoder(4096, nil)
			for i := range row.sizes {
				for _, size := range row.sizes[i] {
					p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingHeaderTableSize, Val: size})
					server.SetAllowedMaxDynamicTableSize(size)
				}
				p.feed()
				p.start(get())
				block := p.sentBlock(uint32(2*i + 1))
				prefix := unhex(t, row.prefix[i])
				if !bytes.HasPrefix(block, prefix) || len(prefix) == 0 && block[0]&0xe0 == 0x20 {
					t.Errorf("block %d is %x, expected it to begin with %x", i, block, prefix)
				}
				if n := len(block) - len(prefix); row.length[i] != 0 && n != row.length[i] {
					t.Errorf("block %d is %x, expected %d bytes behind its prefix", i, block, row.length[i])
				}
				want := ":method=GET;:scheme=http;:path=/;:authority=test;user-agent=wiregauge/1;"
				if got := decodeBlock(t, server, block); got != want {
					t.Errorf("block %d: %s, expected %s", i, got, want)
				}
			}
		})
	}
}

func TestHeadersBeyondThePeersLimit(t *testing.T) {
	p := newPeer(t, protocol.Options{}, xhttp2.Setting{ID: xhttp2.SettingMaxHeaderListSize, Val: 100})
	var c wiregauge.Call
	c.Reset(get())
	if err := p.d.Start(&c); err == nil || !bytes.Contains([]byte(err.Error()), []byte("MAX_HEADER_LIST_SIZE")) {
		t.Errorf("error %v, expected one that names MAX_HEADER_LIST_SIZE", err)
	}
	if p.d.Session.(*Session).streams.used != 0 {
		t.Error("the refused call holds a stream")
	}
}

func TestSecretsStayOutOfTheTable(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	r := get()
	r.Header = []wiregauge.Field{{Name: "authorization", Value: "Bearer abc", Sensitive: true}}
	for range 2 {
		p.start(r)
	}
	want := []byte{0x1f, 0x08} // RFC 7541, section 6.2.3: never indexed, name 23
	if block := p.sentBlock(3); !bytes.Contains(block, want) {
		t.Errorf("block %x, expected it to hold %x", block, want)
	}
}

// TestEqualBlocksAreDecodedOnce feeds the same answer again and again: the decoded block is the same object until
// the table changes.
func TestEqualBlocksAreDecodedOnce(t *testing.T) {
	d := newDecoder(1 << 20)
	decode := func(block ...byte) *Head {
		t.Helper()
		h, err := d.decode(block)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	insert := func(value byte) { decode(0x88, 0x40, 1, 'a', 1, value) }
	insert('1')
	one := decode(0x88, 0xbe)
	if again := decode(0x88, 0xbe); again != one || len(one.Fields) != 1 || one.Fields[0].Value != "1" {
		t.Errorf("%+v, then %+v; expected one object with a=1", one, again)
	}
	plain := decode(0x88, 0x00, 1, 'a', 1, 'b')
	if decode(0x88, 0x00, 1, 'a', 1, 'b') != plain {
		t.Error("a literal without indexing was decoded again")
	}
	insert('2')
	if two := decode(0x88, 0xbe); two == one || two.Fields[0].Value != "2" {
		t.Errorf("%+v after the table changed, expected a=2", two)
	}
	decode(0x20, 0x3f, 0xe1, 0x1f, 0x88) // the table is emptied
	if h, err := d.decode([]byte{0x88, 0xbe}); err == nil {
		t.Errorf("%+v, expected an error: the table is empty", h)
	}
}

// FuzzDecoder compares the decoder, its memory of blocks included, with the library's own.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		"838644232f677270632e74657374696e672e54657374536572766963652f456d70747943616c6c410f3132372e302e302e313a3530303737",
		"885f8b1d75d0620d263d4c4d6564", "88c0", "40889acac8b21234da8f013040899acac8b5254207317f00", "203fe11f88", "88000161016288",
	} {
		p := unhex(f, seed)
		f.Add(p, p, byte(len(p)))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, cut byte) {
		ours, theirs := newDecoder(1<<20), hpack.NewDecoder(4096, nil)
		pieces := [][]byte{a, b, a, b, b[:min(int(cut), len(b))], a, a}
		for i, p := range pieces {
			got, err := ours.decode(p)
			want, wantErr := theirs.DecodeFull(p)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("block %d %x: error %v, the library says %v", i, p, err, wantErr)
			}
			if err != nil {
				return
			}
			if got.breach == "" && !sameFields(got, want) {
				t.Fatalf("block %d %x: %+v, the library says %v", i, p, got, want)
			}
		}
	})
}

func sameFields(h *Head, want []hpack.HeaderField) bool {
	var regular []wiregauge.Field
	for _, f := range want {
		if !f.IsPseudo() {
			regular = append(regular, wiregauge.Field{Name: f.Name, Value: f.Value, Sensitive: f.Sensitive})
		}
	}
	return slices.Equal(h.Fields, regular)
}

// FuzzEncoder sends header sets made of anything and reads them with the library.
func FuzzEncoder(f *testing.F) {
	f.Add("x-name", "value", "other", "", uint16(4096), false)
	f.Add("content-type", "application/json", "content-type", "text/plain", uint16(100), true)
	f.Fuzz(func(t *testing.T, n1, v1, n2, v2 string, size uint16, sensitive bool) {
		e, d := newEncoder(), hpack.NewDecoder(4096, nil)
		fields := []wiregauge.Field{{Name: n1, Value: v1}, {Name: n2, Value: v2, Sensitive: sensitive}, {Name: n1, Value: v2}, {Name: ":path", Value: v1}}
		for i := range 4 {
			if i == 2 {
				e.setLimit(uint32(size))
				d.SetAllowedMaxDynamicTableSize(min(uint32(size), 4096))
			}
			block := e.appendUpdate(nil)
			for _, f := range fields {
				block = e.appendField(block, f)
			}
			block = e.appendLength(block, i)
			got, err := d.DecodeFull(block)
			if err != nil {
				t.Fatalf("block %d %x: %v", i, block, err)
			}
			for j, f := range fields {
				if got[j].Name != f.Name || got[j].Value != f.Value || got[j].Sensitive != f.Sensitive {
					t.Fatalf("block %d: field %v came back as %v", i, f, got[j])
				}
			}
			if last := got[len(got)-1]; last.Name != "content-length" || last.Value != fmt.Sprint(i) {
				t.Fatalf("block %d: content-length came back as %v", i, last)
			}
		}
	})
}
