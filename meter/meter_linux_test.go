package meter

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// burn spends CPU until this process has used that much more.
func burn(d time.Duration) {
	for from := Own().Total(); Own().Total()-from < d; {
		for i := range 100_000 {
			_ = i * i
		}
	}
}

func TestOwn(t *testing.T) {
	before := Own()
	burn(20 * time.Millisecond)
	after := Own()
	if !after.Known || after.Total()-before.Total() < 20*time.Millisecond || after.RSS < 1<<20 {
		t.Errorf("%+v, then %+v", before, after)
	}
}

func TestGCs(t *testing.T) {
	before := GCs()
	runtime.GC()
	if n := GCs() - before; n < 1 {
		t.Errorf("%d collections after a forced one", n)
	}
}

func TestCores(t *testing.T) {
	if n := Cores(); n < 1 || n > float64(runtime.NumCPU()) {
		t.Errorf("%v cores", n)
	}
}

// What the tree of this process uses is what it says itself, read just before and just after.
func TestTree(t *testing.T) {
	outer := Own()
	before, err := Tree(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	burn(20 * time.Millisecond)
	after, err := Tree(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	used, bound := after.Total()-before.Total(), Own().Total()-outer.Total()
	if used < 20*time.Millisecond || used > bound+clockTick || after.RSS < 1<<20 {
		t.Errorf("used %v, bound %v, %+v", used, bound, after)
	}
}

// A shell with one child that has ended and one that stays: both count.
func TestTreeOfAShell(t *testing.T) {
	c := exec.Command("sh", "-c", `"$0" -test.run '^TestBurn$'; "$0" -test.run '^TestBurn$'; true`, os.Args[0])
	c.Env = append(os.Environ(), "WIREGAUGE_BURN=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Wait() }()
	defer in.Close()
	lines := bufio.NewScanner(out)
	for burnt := 0; burnt < 2 && lines.Scan(); {
		if lines.Text() == "burnt" {
			_, _ = io.WriteString(in, strings.Repeat("\n", 1-burnt)) // the first may end
			burnt++
		}
	}
	u, err := Tree(c.Process.Pid)
	if err != nil || u.Total() < 60*time.Millisecond {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestBurn is the child: it uses CPU, says so, and stays until it is told to end.
func TestBurn(t *testing.T) {
	if os.Getenv("WIREGAUGE_BURN") == "" {
		burn(time.Millisecond)
		return
	}
	burn(40 * time.Millisecond)
	fmt.Println("burnt")
	_, _ = os.Stdin.Read(make([]byte, 1))
}

func TestTreeOfNobody(t *testing.T) {
	if u, err := Tree(1 << 30); err == nil || !strings.Contains(err.Error(), "process 1073741824") {
		t.Errorf("%+v, %v", u, err)
	}
	if n := Allowed(1 << 30); n != 0 {
		t.Errorf("nobody may run on %d CPUs", n)
	}
	if n := Allowed(os.Getpid()); n < 1 {
		t.Errorf("this process may run on %d CPUs", n)
	}
}

func TestParseHost(t *testing.T) {
	h := parseHost([]byte("cpu  100 20 30 4000 500 6 7 80 9 10\ncpu0 1 2 3\n"))
	want := Host{Busy: 1630 * time.Millisecond, Steal: 800 * time.Millisecond, All: 47430 * time.Millisecond, Known: true}
	if h != want {
		t.Errorf("%+v, want %+v", h, want)
	}
	for _, line := range []string{"", "cpu", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9"} {
		if h := parseHost([]byte(line)); h.Known {
			t.Errorf("%q is taken for %+v", line, h)
		}
	}
}

func TestShares(t *testing.T) {
	at := func(busy, steal, all int) Host {
		s := func(n int) time.Duration { return time.Duration(n) * time.Second }
		return Host{Busy: s(busy), Steal: s(steal), All: s(all), Known: true}
	}
	for _, row := range []struct {
		name           string
		before, after  Host
		ours           time.Duration
		steal, foreign float64
	}{
		{"a quiet machine", at(0, 0, 0), at(3, 0, 20), 3 * time.Second, 0, 0},
		{"a neighbour and a thief", at(0, 0, 0), at(8, 2, 20), 3 * time.Second, 0.1, 0.25},
		{"rounding never makes it negative", at(0, 0, 0), at(3, 0, 20), 4 * time.Second, 0, 0},
		{"no time between", at(1, 1, 10), at(1, 1, 10), 0, -1, -1},
		{"unknown before", Host{}, at(1, 1, 10), 0, -1, -1},
	} {
		if steal, foreign := Shares(row.before, row.after, row.ours); steal != row.steal || foreign != row.foreign {
			t.Errorf("%s: steal %v, foreign %v", row.name, steal, foreign)
		}
	}
}
