package rsocket

import (
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// A probe is hand-made bytes and what servers of others sent back.
type probe struct {
	name   string
	chunks [][]byte
	peers  map[string]probed // by server
}

type probed struct {
	words  string
	closed bool
}

func probes(t testing.TB) (all []*probe) {
	t.Helper()
	text, err := os.ReadFile("testdata/probes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*probe{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		column := strings.Split(line, "\t")
		p := byName[column[0]]
		if p == nil {
			p = &probe{name: column[0], chunks: unhexAll(t, column[2]), peers: map[string]probed{}}
			byName[p.name] = p
			all = append(all, p)
		}
		var frames [][]byte
		for _, f := range unhexAll(t, column[3]) {
			frames = append(frames, f[3:])
		}
		p.peers[column[1]] = probed{inWords(shorthand(t, frames)), column[4] == "yes"}
	}
	return all
}

func unhexAll(t testing.TB, list string) (all [][]byte) {
	t.Helper()
	for _, one := range strings.Split(list, "|") {
		p, err := hex.DecodeString(one)
		if err != nil {
			t.Fatal(err)
		}
		if len(p) > 0 {
			all = append(all, p)
		}
	}
	return all
}

func (p *probe) play(t testing.TB) *peerLab {
	l := newPeerLab(t, Serving{})
	l.spring = true
	for _, chunk := range p.chunks {
		l.feed(0, chunk)
	}
	l.tick(time.Second)
	return l
}

// otherProbes are those to which ours does not answer as Spring does.
var otherProbes = map[string]struct {
	why, want string
	closed    bool
}{
	"E1_E29_E30_channel":           {"ERROR alone ends both sides of a channel", "7: ERROR 0x201", false},
	"setup_M_flag_garbage":         {"we say why we close", "0: ERROR 0x1", true},
	"setup_lifetime_no_keepalive":  {"we say why we close", "0: ERROR 0x101", true},
	"metadata_len_over_frame":      {"we say why we close", "0: ERROR 0x101", true},
	"frame_len_5":                  {"we say why we close", "0: ERROR 0x101", true},
	"frame_len_0":                  {"we say why we close", "0: ERROR 0x101", true},
	"unknown_type_no_I":            {"we say why we close", "0: ERROR 0x101", true},
	"payload_neither_n_nor_c":      {"only the call ends", "1: N REQUEST_N 2147483647 ERROR 0x204", false},
	"initial_n_zero":               {"we say what is wrong", "1: ERROR 0x204; 3: N C", false},
	"request_n_zero":               {"we say what is wrong", "1: N ERROR 0x204; 3: N C", false},
	"request_n_negative":           {"the first bit means nothing", "1: N N N C; 3: N C", false},
	"request_sid_zero":             {"no request is answered on stream 0", "0: ERROR 0x101", true},
	"unknown_type_I":               {"the frame asks to be ignored", "", false},
	"ext_I_sid0":                   {"the frame asks to be ignored", "3: N C", false},
	"lease_frame_to_server":        {"a lease that we do not need", "", false},
	"fragments_md_then_data_N":     {"fragments of any size are taken", "1: N C", false},
	"fragments_without_N":          {"fragments need no Next", "1: N C", false},
	"fragments_last_C_only":        {"fragments need no Next", "1: N C; 3: N C", false},
	"channel_C_single":             {"nothing is asked of a client that has ended", "1: N C", false},
	"error_sid0_from_client":       {"it says that it leaves", "1: N C", true},
	"connection_close_from_client": {"it says that it leaves", "1: N C", true},
}

func TestProbes(t *testing.T) {
	all := probes(t)
	if len(all) != 68 {
		t.Errorf("%d probes, want 68", len(all))
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			l := p.play(t)
			got, want := inWords(l.words()), p.peers["spring-boot-4.0.7"]
			if o, ok := otherProbes[p.name]; ok {
				if got == want.words && (l.err != nil) == want.closed {
					t.Errorf("it is the same, and is listed as another (%s)", o.why)
				}
				want = probed{o.want, o.closed}
			}
			if got != want.words || (l.err != nil) != want.closed {
				t.Errorf("got  %s, closed %t (%v)\nwant %s, closed %t", got, l.err != nil, l.err, want.words, want.closed)
			}
			if l.err != nil && !errors.Is(l.err, io.EOF) && len(l.out) == 0 {
				t.Error("it closes without a word")
			}
		})
	}
}
