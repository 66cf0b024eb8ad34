package main

import (
	"bytes"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
)

// countResets serves HTTP/2 that never answers a call, and tells for each connection that has ended how many calls it
// had and how many of them were cancelled.
func countResets(t *testing.T) (address string, ended <-chan [2]int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	counts := make(chan [2]int, 16)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { counts <- readFrames(c) }()
		}
	}()
	return l.Addr().String(), counts
}

func readFrames(c net.Conn) (n [2]int) {
	defer c.Close()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c, preface); err != nil || !bytes.Equal(preface, []byte(http2.ClientPreface)) {
		return n
	}
	f := http2.NewFramer(c, c)
	if f.WriteSettings() != nil {
		return n
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return n
		}
		switch frame.(type) {
		case *http2.HeadersFrame:
			n[0]++
		case *http2.RSTStreamFrame:
			n[1]++
		}
	}
}

// TestWaysToStop: what a server sees of calls that are in flight at the end.
func TestWaysToStop(t *testing.T) {
	for _, row := range []struct {
		how       string
		cancelled int
	}{{"close", 5}, {"wait=50ms", 5}, {"drop", 0}} {
		address, ended := countResets(t)
		f, out := measured(t, exitOK, "run", "h2c://"+address+"/", "-z", "100ms", "-c", "5", "--stop", row.how, "--max-errors", "100%")
		if arm := f.Arms[0]; arm.Unfinished != 5 || arm.Ages.N != 5 || arm.Failed != 0 {
			t.Errorf("%s: %+v\n%s", row.how, arm.Counts, out.stdout)
		}
		if n := <-ended; n != [2]int{5, row.cancelled} {
			t.Errorf("%s: %d calls, %d cancelled, want %d", row.how, n[0], n[1], row.cancelled)
		}
	}
}
