package wrong

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestOutputsThatCannotBe: every output is tried before anything is sent; nothing is measured for nobody.
func TestOutputsThatCannotBe(t *testing.T) {
	server := mortality(t, echoHTTP1, 1)
	url := urlOf("http", server.Address())
	dir := t.TempDir()
	file := write(t, dir, "file", "mine")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no such folder", []string{"-o", "json=/nowhere/at/all.json"}, "there is no folder /nowhere/at; make it first"},
		{"a folder", []string{"-o", "json=" + dir}, "is a folder; name a file in it"},
		{"a file as a folder", []string{"-o", "json=" + file + "/r.json"}, file},
		{"a folder in which no file can be made", []string{"-o", "json=/proc/r.json"}, "no file can be made in /proc"},
		{"two on standard output", []string{"-o", "json=-", "-o", "csv=-"}, "two outputs go to standard output (-): json and csv; at most one each"},
		{"two in one file", []string{"-o", "json=r", "-o", "html=r"}, "two outputs go to r: json and html"},
		{"no format", []string{"-o", "r.xyz"}, "the extension tells no format"},
		{"an unknown format", []string{"-o", "xml=r.xml"}, `unknown format "xml"`},
		{"no path", []string{"-o", "json="}, "json="},
		{"nothing", []string{"-o", ""}, "write FORMAT=PATH"},
		{"one good and one bad", []string{"-o", "json=good.json", "-o", "html=/nowhere/r.html"}, "there is no folder /nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range [][]string{{"run", url, "-n", "1"}, {"compare", "a=" + url, "b=" + url, "--quick"}} {
				at := t.TempDir()
				command{args: append(args, c.args...), dir: at}.run(t).refuses(t, 2, c.want)
				if left, err := os.ReadDir(at); err != nil || len(left) > 0 {
					t.Errorf("left behind: %v, %v", left, err)
				}
			}
		})
	}
	wg(t, "call", url, "-o", dir).refuses(t, 2, "folder")
	wg(t, "call", url, "-o", "/nowhere/body").refuses(t, 2, "no folder /nowhere")
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("a file of the user's holds %q, %v", text, err)
	}
	if n := server.Accepted(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestPipesAndLinksStay: what is no plain file is written to and never replaced, or a root who types -o /dev/null would
// lose the device.
func TestPipesAndLinksStay(t *testing.T) {
	url := urlOf("http", good(t, "http"))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"a body", []string{"call", url, "-d", "hello", "-o", "place"}},
		{"a report", []string{"run", "null://", "-n", "3", "-o", "json=place"}},
		{"single calls", []string{"run", "null://", "-n", "3", "-o", "raw=place"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			place, target := filepath.Join(dir, "place"), write(t, dir, "target", "old")
			check(t, os.Symlink(target, place))
			command{args: c.args, dir: dir}.run(t).wants(t, 0)
			info, err := os.Lstat(place)
			check(t, err)
			text, err := os.ReadFile(target)
			check(t, err)
			if info.Mode()&os.ModeSymlink == 0 || len(text) < 4 || string(text) == "old" {
				t.Errorf("the link is %v now, and its target holds %q", info.Mode(), text)
			}

			check(t, os.Remove(place))
			check(t, syscall.Mkfifo(place, 0o600))
			reader, err := os.OpenFile(place, os.O_RDWR, 0)
			check(t, err)
			defer reader.Close()
			command{args: c.args, dir: dir}.run(t).wants(t, 0)
			info, err = os.Lstat(place)
			check(t, err)
			p := make([]byte, 4)
			if n, err := reader.Read(p); info.Mode()&os.ModeNamedPipe == 0 || n == 0 {
				t.Errorf("the pipe is %v now, and gave %q, %v", info.Mode(), p[:n], err)
			}
		})
	}
}

// TestBodiesThatBreakOff: call -o leaves no part of an answer behind, and what was there before stays.
func TestBodiesThatBreakOff(t *testing.T) {
	for _, name := range []string{"http1: a body that breaks off", "http1: a bad chunk size", "http1: endless headers"} {
		for _, client := range clientsOf("http") {
			t.Run(name+" "+client, func(t *testing.T) {
				t.Parallel()
				url := urlOf("http", listen(t, play(t, name).Play).Address())
				dir := t.TempDir()
				write(t, dir, "old", "what was there")
				command{args: []string{"call", url, "-o", "new", "--client", client}, dir: dir}.run(t).refuses(t, 3)
				absent(t, filepath.Join(dir, "new"))
				command{args: []string{"call", url, "-o", "old", "--client", client}, dir: dir}.run(t).refuses(t, 3)
				if text, err := os.ReadFile(filepath.Join(dir, "old")); err != nil || string(text) != "what was there" {
					t.Errorf("the old file holds %q, %v", text, err)
				}
			})
		}
	}
}

// TestNobodyReadsTheOutput: a closed pipe on standard output or standard error loses no result and no gate.
func TestNobodyReadsTheOutput(t *testing.T) {
	http := urlOf("http", good(t, "http"))
	grpc := urlOf("grpc", good(t, "grpc"))
	for _, c := range []struct {
		name          string
		args          []string
		stdout        bool // is closed; else stderr is
		code          int
		file          string
		silent, heard string
	}{
		{"text", []string{"run", "null://", "-n", "100", "-o", "text=-", "-o", "json=r.json"}, true, 141, "r.json", "error", "wrote r.json"},
		{"JSON", []string{"run", "null://", "-n", "100", "-o", "json=-", "-o", "csv=r.csv"}, true, 141, "r.csv", "error", "wrote r.csv"},
		{"a gate that fails", []string{"run", "null://", "-n", "100", "--fail-if", "bytes<1"}, true, 99, "", "error", "FAILED"},
		{"a call", []string{"call", http, "-d", "hello"}, true, 141, "", "error", ""},
		{"a stream", []string{"call", grpc, "--proto", protoFile(t), "-d", `{"id":1}`}, true, 141, "", "error", ""},
		{"a list", []string{"list"}, true, 141, "", "error", ""},
		{"a schema", []string{"schema", "result"}, true, 141, "", "error", ""},
		{"words, and a file", []string{"run", "null://", "-n", "100", "--fail-if", "p50<1h", "-v", "-o", "json=r.json"}, false, 0, "r.json", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r, w, err := os.Pipe()
			check(t, err)
			check(t, r.Close()) // and now nobody reads
			cmd := command{args: c.args, dir: dir}.make(t.Context())
			var other bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &other
			if !c.stdout {
				cmd.Stdout, cmd.Stderr = &other, w
			}
			_ = cmd.Run()
			check(t, w.Close())
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit %d (%v), want %d\n%s", got, cmd.ProcessState, c.code, other.String())
			}
			if c.file != "" {
				if _, err := os.Stat(filepath.Join(dir, c.file)); err != nil {
					t.Errorf("the result is lost: %v", err)
				}
			}
			if text := other.String(); c.silent != "" && strings.Contains(text, c.silent) || !strings.Contains(text, c.heard) {
				t.Errorf("it says %q", text)
			}
			noHalfFiles(t, dir)
		})
	}
}

// TestAFullDisk: what cannot be written is an error that names the place, in every command.
func TestAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return // a system without it
	}
	defer full.Close()
	url := urlOf("http", good(t, "http"))
	for _, args := range [][]string{{"run", "null://", "-n", "10"}, {"call", url, "-d", "x"}, {"list"}, {"version"}, {"schema", "result"}} {
		t.Run(args[0], func(t *testing.T) {
			cmd := command{args: args, dir: t.TempDir()}.make(t.Context())
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = full, &stderr
			_ = cmd.Run()
			if cmd.ProcessState.ExitCode() == 0 || !strings.Contains(stderr.String(), "no space left on device") {
				t.Errorf("exit %d\n%s", cmd.ProcessState.ExitCode(), stderr.String())
			}
		})
	}
	wg(t, "run", "null://", "-n", "10", "-o", "json=/dev/full").wants(t, 1, "output json=/dev/full: ", "no space left on device")
}

// TestNumbersOfOddRuns: the smallest, shortest, slowest and fastest runs end with numbers that are numbers, not
// negative, and calls that add up, in every format.
func TestNumbersOfOddRuns(t *testing.T) {
	url := urlOf("http", good(t, "http"))
	gone := listen(t, play(t, "closes at once").Play).Address()
	for _, c := range []struct {
		name string
		args []string
		code int
		due  int64 // 0 for any
	}{
		{"one call", []string{url, "-n", "1"}, 0, 1},
		{"fewer calls than callers", []string{url, "-n", "3", "-c", "1000"}, 0, 3},
		{"a millisecond", []string{url, "-z", "1ms", "--max-errors", "100%"}, 0, 0},
		{"ten milliseconds", []string{url, "-z", "10ms", "--max-errors", "100%"}, 0, 0},
		{"half a call a second", []string{url, "-r", "0.5/s", "-n", "1"}, 0, 1},
		{"one call in 30 days", []string{url, "-r", "1/h", "-z", "10ms", "--max-errors", "100%"}, 0, 1},
		{"a billion calls a second", []string{url, "-r", "1000m", "-n", "50", "-c", "2"}, 0, 50},
		{"a billion calls a second for a moment", []string{url, "-r", "1000m", "-z", "2ms", "-c", "2", "--max-errors", "100%"}, 0, 0},
		{"a timeout of a nanosecond", []string{url, "-t", "1ns", "-n", "5", "--max-errors", "100%"}, 0, 5},
		{"a ramp of moments", []string{url, "--ramp", "1..4x2/2ms", "--max-errors", "100%"}, 0, 0},
		{"a rise of rates", []string{url, "--ramp", "rate=0..100/20ms", "--max-errors", "100%"}, 0, 0},
		{"warm-up longer than the run", []string{url, "--warmup", "500", "-n", "1"}, 0, 1},
		{"nothing but failures", []string{"http://" + gone + "/", "-n", "5", "--max-errors", "100%"}, 0, 5},
		{"no network", []string{"null://", "-n", "1"}, 0, 1},
		{"percentiles beyond sense", []string{url, "-n", "5", "--percentiles", "0.0001,99.99999999"}, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := []string{"run"}
			for _, format := range []string{"json", "jsonl", "csv", "md", "html"} {
				args = append(args, "-o", format+"=r."+format)
			}
			s := command{args: append(args, c.args...), dir: dir}.run(t)
			s.wants(t, c.code)
			arm := saved(t, filepath.Join(dir, "r.json")).Arms[0]
			if c.due > 0 && arm.Due != c.due {
				t.Errorf("%d calls were due, want %d", arm.Due, c.due)
			}
			finite(t, filepath.Join(dir, "r.json"))
			for _, format := range []string{"csv", "md", "jsonl"} {
				text, err := os.ReadFile(filepath.Join(dir, "r."+format))
				check(t, err)
				s.stdout += string(text)
			}
			if odd := oddNumbers.FindString(s.stdout); odd != "" {
				t.Errorf("%q in\n%s", odd, s.stdout)
			}
		})
	}
}

// oddNumbers are those that are none, or that no count, time or rate can be.
var oddNumbers = regexp.MustCompile(`NaN|\bInf\b|[ (|,:]-\d[\d.,]* ?(ns|µs|us|ms|s|%|calls|B)\b|9223372036854775807|1844674407370955`)

// finite wants every number of a JSON file to be one, and none below 0.
func finite(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	var v any
	check(t, json.Unmarshal(text, &v))
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(at+"."+k, inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s[%d]", at, i), inner)
			}
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || v > 1e18 {
				t.Errorf("%s is %v", at, v)
			}
		}
	}
	walk("", v)
}
