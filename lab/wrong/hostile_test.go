package wrong

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiregauge/lab/hostile"
	"wiregauge/result"
)

// A row is what a run against a hostile server must come to, by kind of client: the class of every failed call, "|"
// between what it may be; "exit 3" when nothing can be measured; "ok" when the fault is not one for a run.
type row struct{ play, scheme, wire, stack string }

const none = "exit 3"

// A library that ends the connection itself, because of a breach, says the breach of one call; of the others on that
// connection, and of those that come while it ends or is opened again, it may say only that it is gone, or send them
// a second time.
const (
	gone   = "closed|reset|connect|retried"
	orGone = "|" + gone
)

// Three rules: what is not even a broken server of its protocol is exit 3 where the protocol has a hello; what the
// library says of its own is told as it says it; a call never is "local", which would be our fault.
var rows = []row{
	{"closes at once", "http", "closed|reset", "closed|reset"},
	{"closes at once", "h2c", none, none},
	{"closes at once", "grpc", none, none},
	{"closes at once", "tcp", "closed|reset", ""},
	{"resets at once", "http", none + "|reset|connect|closed", none + "|reset|connect|closed"},
	{"resets at once", "h2c", none, none},
	{"resets at once", "grpc", none, none},
	{"resets at once", "tcp", none + "|reset|connect|closed", ""},
	{"silent", "http", "timeout", "timeout"},
	{"silent", "h2c", none, none},
	{"silent", "grpc", none, none},
	{"silent", "tcp", "timeout", ""},
	{"garbage", "http", "malformed", "malformed"},
	{"garbage", "h2c", none, none},
	{"garbage", "grpc", none, none},
	{"garbage", "tcp", "too large|closed", ""},
	{"endless garbage", "http", "malformed", "malformed"},
	{"endless garbage", "h2c", none, none},
	{"endless garbage", "grpc", none, none},
	{"endless garbage", "tcp", "too large|closed", ""},
	{"another protocol's banner", "http", "malformed", "malformed"},
	{"another protocol's banner", "h2c", none, none},
	{"another protocol's banner", "grpc", none, none},
	{"another protocol's banner", "tcp", "timeout", ""},

	{"http1: endless headers", "http", "too large", "too large"},
	{"http1: endless status line", "http", "too large", "too large"},
	{"http1: a body that breaks off", "http", "closed", "closed"},
	{"http1: a bad chunk size", "http", "malformed", "malformed"},
	{"http1: a chunk size beyond all bounds", "http", "malformed", "malformed"},
	{"http1: two lengths", "http", "malformed", "malformed"},
	{"http1: a negative length", "http", "malformed", "malformed"},
	{"http1: an answer of HTTP/0.9", "http", "malformed", "malformed"},
	{"http1: endless 100 Continue", "http", "too large", "too large"},

	{"http2: an HTTP/1.1 server", "h2c", none, none},
	{"http2: an HTTP/1.1 server", "grpc", none, none},
	{"http2: a giant frame", "h2c", "malformed", "malformed" + orGone},
	{"http2: a giant frame", "grpc", "malformed", "malformed" + orGone},
	{"http2: an HPACK bomb", "h2c", "too large", "malformed|too large" + orGone},
	{"http2: an HPACK bomb", "grpc", "too large", "malformed|too large" + orGone},
	{"http2: endless CONTINUATION", "h2c", "malformed", "malformed" + orGone},
	{"http2: endless CONTINUATION", "grpc", "malformed", "malformed" + orGone},
	{"http2: a broken header block", "h2c", "malformed", "malformed" + orGone},
	{"http2: a broken header block", "grpc", "malformed", "malformed" + orGone},
	{"http2: more data than the window", "h2c", "timeout|malformed", "malformed|timeout" + orGone},
	{"http2: more data than the window", "grpc", "malformed", "INTERNAL" + orGone},
	{"http2: refuses every stream", "h2c", "refused", "timeout|refused"},
	{"http2: refuses every stream", "grpc", "refused", "refused"},
	{"http2: resets every stream after reading it", "h2c", "reset INTERNAL_ERROR", "reset INTERNAL_ERROR"},
	{"http2: resets every stream after reading it", "grpc", "reset", "reset"},
	{"http2: closes in the middle of an answer", "h2c", "closed|reset", gone},
	{"http2: closes in the middle of an answer", "grpc", "closed|reset", gone},
	{"http2: an answer to nobody", "h2c", "malformed", "malformed" + orGone},
	{"http2: an answer to nobody", "grpc", "malformed", "timeout" + orGone},
	{"http2: GOAWAY before every answer", "h2c", "unprocessed", "timeout|malformed" + orGone},
	{"http2: GOAWAY before every answer", "grpc", "unprocessed", "UNAVAILABLE|UNKNOWN" + orGone},

	{"grpc: no trailers", "grpc", "no grpc-status", "no grpc-status"},
	{"grpc: a message, then INTERNAL", "grpc", "INTERNAL", "INTERNAL"},
	{"grpc: trailers before the request is read", "grpc", "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
	{"grpc: half a message", "grpc", "malformed", "INTERNAL"},
	{"grpc: a message beyond all bounds", "grpc", "too large", "too large"},
	{"grpc: a compressed bomb", "grpc", "ok", "too large"}, // our own run counts messages and unpacks none
	{"grpc: two messages for one", "grpc", "malformed", "INTERNAL"},
	{"grpc: an HTML error page", "grpc", "UNAVAILABLE", "UNAVAILABLE"},
	{"grpc: a status that is no number", "grpc", "UNKNOWN", "UNKNOWN"},
}

// Memory that a command may take against any peer. A load test leaves the collector alone for up to 512 MiB while a
// library allocates for each call.
const (
	most        = 300 << 20
	mostOfStack = 700 << 20
)

func (r row) want(client string) string {
	if client == "stack" {
		return r.stack
	}
	return r.wire
}

// patience is how long a call and a connection may take: little where only that limit ends them, and more than any
// machine needs elsewhere.
func (r row) patience(client string) (call, connect string) {
	call, connect = "30s", "30s"
	if strings.Contains(r.want(client), "timeout") {
		call = "100ms"
	}
	if r.play == "silent" {
		call = "100ms" // of the commands that ask a server which is silent
		if r.want(client) == none {
			connect = "100ms"
		}
	}
	return call, connect
}

// TestHostilePeers: call and run against every hostile server over every protocol it is meant for, with both kinds of
// client. Nothing hangs, memory is bounded, no call is lost, and the error table has the class.
func TestHostilePeers(t *testing.T) {
	for _, r := range rows {
		p := play(t, r.play)
		for _, client := range clientsOf(r.scheme) {
			t.Run(fmt.Sprintf("%s %s %s", r.play, r.scheme, client), func(t *testing.T) {
				t.Parallel()
				address := listen(t, p.Play).Address()
				limit, connect := r.patience(client)
				args := append(request(t, r.scheme), "--client", client, "-t", limit, "--connect-timeout", connect, urlOf(r.scheme, address))
				runs(t, r, client, args)
				calls(t, r, client, args)
			})
		}
	}
}

// TestEveryPlayHasARow keeps the table whole when plays are added.
func TestEveryPlayHasARow(t *testing.T) {
	schemes := map[string][]string{"any": {"http", "h2c", "grpc", "tcp"}, "http1": {"http"}, "http2": {"h2c", "grpc"}, "grpc": {"grpc"}}
	for _, p := range hostile.Plays() {
		for _, scheme := range schemes[p.For] {
			if !slices.ContainsFunc(rows, func(r row) bool { return r.play == p.Name && r.scheme == scheme }) {
				t.Errorf("no row for %q over %s", p.Name, scheme)
			}
		}
	}
}

func play(t *testing.T, name string) hostile.Named {
	t.Helper()
	for _, p := range hostile.Plays() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no play %q", name)
	return hostile.Named{}
}

func runs(t *testing.T, r row, client string, args []string) {
	t.Helper()
	dir := t.TempDir()
	s := command{args: append([]string{"run", "-n", "4", "-c", "2", "-o", "json=r.json"}, args...), dir: dir}.run(t)
	bounded(t, s, client)
	classes := strings.Split(r.want(client), "|")
	switch {
	case s.code == 3 && slices.Contains(classes, none):
		s.refuses(t, 3, "error: ", "exit 3 after")
		absent(t, filepath.Join(dir, "r.json"))
		return
	case slices.Contains(classes, "ok"):
		s.wants(t, 0)
	default:
		s.wants(t, 5, "errors: 100 %")
	}
	arm := saved(t, filepath.Join(dir, "r.json")).Arms[0]
	if arm.Due != 4 || arm.Failed != 4 && !slices.Contains(classes, "ok") {
		t.Errorf("counts %+v", arm.Counts)
	}
	failures(t, &arm, classes)
}

// failures wants the error table of an arm to hold nothing but these classes, each with its stage.
func failures(t *testing.T, arm *result.Arm, classes []string) {
	t.Helper()
	stages := map[string]string{"connect": "connect", "timeout": "read", "closed": "read", "malformed": "read", "refused": "read", "reset": "read", "unprocessed": "read", "retried": "read"}
	var sum int64
	for _, e := range arm.Errors {
		sum += e.Count
		stage := "answer"
		if s := stages[strings.Fields(e.Class)[0]]; s != "" {
			stage = s
		}
		if !slices.Contains(classes, e.Class) || e.Stage != stage {
			t.Errorf("%d calls failed as %q in stage %q (%s), want %q in %q", e.Count, e.Class, e.Stage, e.Message, classes, stage)
		}
	}
	if sum != arm.Failed {
		t.Errorf("the error table has %d calls of %d", sum, arm.Failed)
	}
}

// calls wants a call to fail with exit 3, or 4 where the server did answer.
func calls(t *testing.T, r row, client string, args []string) {
	t.Helper()
	s := command{args: append([]string{"call"}, args...)}.run(t)
	bounded(t, s, client)
	if s.code != 3 && s.code != 4 || !strings.Contains(s.stderr, "error: ") || !strings.Contains(s.stderr, fmt.Sprintf("exit %d after", s.code)) {
		t.Errorf("call: exit %d\n%s", s.code, s.stderr)
	}
	if len(s.stdout) > 100 { // at most the one message that came
		t.Errorf("call printed %d bytes", len(s.stdout))
	}
}

func bounded(t *testing.T, s said, client string) {
	t.Helper()
	limit := int64(most)
	if client == "stack" {
		limit = mostOfStack
	}
	if s.peak > limit {
		t.Errorf("%d MiB of memory, %d are allowed", s.peak>>20, limit>>20)
	}
}

// absent wants no file at path.
func absent(t *testing.T, path string) {
	t.Helper()
	if list, _ := filepath.Glob(path); len(list) > 0 {
		t.Errorf("%s is there", path)
	}
}
