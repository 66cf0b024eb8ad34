//go:build external

package interop

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command is a program with its environment and arguments.
type command struct{ env, argv []string }

// A stack is one RSocket library with our programs on it (lab/peers/rsocket); a stack without a server has none.
type stack struct {
	name           string
	server, client func(t *testing.T) command
}

var (
	springFour  = stack{"spring-4.0.7", onJVM("4.0.7", "Server"), onJVM("4.0.7", "SpringClient")}
	springThree = stack{"spring-3.5.7", onJVM("3.5.7", "Server"), onJVM("3.5.7", "SpringClient")}
	rsocketJava = stack{"rsocket-java", nil, onJVM("4.0.7", "CoreClient")}
	npmAlpha    = stack{"npm-alpha.3", onNode("alpha", "server.js"), onNode("alpha", "client.js")}
	npmOld      = stack{"npm-0.0.27", onNode("old", "server.js"), onNode("old", "client.js")}
	pythonRS    = stack{"python", onPython("server.py"), onPython("client.py")}
)

var rsocketStacks = []stack{springFour, springThree, rsocketJava, npmAlpha, npmOld, pythonRS}

// rsocketSources are our programs, as seen from this folder.
const rsocketSources = "../peers/rsocket"

// rsocketPeers is a folder or file that lab/peers/rsocket/install has installed; the test fails when it is missing.
func rsocketPeers(t *testing.T, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{os.Getenv("PEERS"), "rsocket"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Fatalf("%v: run `make peers` (PEERS is %q)", err, os.Getenv("PEERS"))
	}
	return full
}

func onJVM(boot, class string) func(*testing.T) command {
	return func(t *testing.T) command {
		t.Helper()
		classes := rsocketPeers(t, "boot-"+boot, "classes") + ":" + filepath.Join(rsocketPeers(t, "boot-"+boot, "lib"), "*")
		return command{nil, []string{"java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "peer." + class}}
	}
}

func onNode(line, file string) func(*testing.T) command {
	return func(t *testing.T) command {
		t.Helper()
		return command{[]string{"NODE_PATH=" + rsocketPeers(t, line, "node_modules")},
			[]string{"node", filepath.Join(rsocketSources, "node", line, file)}}
	}
}

func onPython(file string) func(*testing.T) command {
	return func(t *testing.T) command {
		t.Helper()
		return command{[]string{"PYTHONDONTWRITEBYTECODE=1"},
			[]string{rsocketPeers(t, "python", "bin", "python"), filepath.Join(rsocketSources, "python", file)}}
	}
}

// serve starts the stack's server; its listeners are told by name, host:port.
func (s stack) serve(t *testing.T, arguments ...string) map[string]string {
	t.Helper()
	c := s.server(t)
	p := start(t, c.env, c.argv[0], append(c.argv[1:], arguments...)...)
	at := map[string]string{}
	p.line(t, func(l string) bool {
		if name, address, ok := strings.Cut(l, " "); ok && strings.HasPrefix(address, "127.0.0.1:") {
			at[name] = address
		}
		return l == "ready"
	})
	return at
}

// scriptTime bounds one script; the slowest one needs a minute, on a Python server.
const scriptTime = 4 * time.Minute

// says carries out the steps with the stack's client and gives what it said of each.
func (s stack) says(t *testing.T, url string, options []string, steps []string) []string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), scriptTime)
	defer stop()
	c := s.client(t)
	cmd := exec.CommandContext(ctx, c.argv[0], append(append(c.argv[1:], url), options...)...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdin = strings.NewReader(strings.Join(steps, "\n") + "\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	lines := numbered(stdout.Bytes())
	if err != nil || len(lines) != len(steps) {
		t.Fatalf("%s said %d lines of %d to %s %q: %v\n%s%s", s.name, len(lines), len(steps), url, options, err, tail(stdout.String()), tail(stderr.String()))
	}
	return lines
}

// numbered takes the lines "1 …", "2 …" out of an output, without their numbers.
func numbered(output []byte) (lines []string) {
	for s := bufio.NewScanner(bytes.NewReader(output)); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), fmt.Sprintf("%d ", len(lines)+1)); ok {
			lines = append(lines, rest)
		}
	}
	return lines
}
