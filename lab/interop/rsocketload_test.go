//go:build external

package interop

import (
	"strings"
	"testing"
)

// stockOfA1 is what every inventory says of A1.
const stockOfA1 = `"inStock": 67`

// TestRSocketCommandsAgainstServers has call, run and compare speak to every RSocket server that we did not write, as a
// user would: JSON in, CBOR on the wire, the route in the URL.
func TestRSocketCommandsAgainstServers(t *testing.T) {
	ours := serveReference(t).address("rsocket+tcp")
	question := []string{"-d", `{"sku":"A1","quantity":2}`}
	for _, server := range rsocketStacks {
		if server.server == nil {
			continue
		}
		t.Run(server.name, func(t *testing.T) {
			at := server.serve(t, "tcp", "ws")
			tcp, web := "rsocket+tcp://"+at["tcp"]+"/", "rsocket+ws://"+at["ws"]+"/?route="
			for _, url := range []string{tcp, web} {
				if got := wg(t, append([]string{"call", url + "inventory.check"}, question...)...); got.code != 0 || !strings.Contains(string(got.stdout), stockOfA1) {
					t.Errorf("call %s: exit %d\n%s%s", url, got.code, got.stdout, got.stderr)
				}
				if a := loads(t, 0, append([]string{url + "inventory.check", "-n", "400", "-c", "20"}, question...)...); a.OK != 400 || a.Failed != 0 {
					t.Errorf("run %s: %+v", url, a.Counts)
				}
			}
			if got := wg(t, "call", tcp+"items", "--stream", "--codec", "text", "-d", "9 3", "--take", "4", "--limit-rate", "2"); got.code != 0 {
				t.Errorf("a stream: exit %d\n%s", got.code, got.stderr)
			}
			if got := wg(t, "call", tcp+"fail", "--codec", "text", "-d", "x"); got.code != 4 || !strings.Contains(got.stderr, "0x201") {
				t.Errorf("an error: exit %d\n%s", got.code, got.stderr)
			}
			if a := loads(t, 0, tcp+"items", "--stream", "--codec", "text", "-d", "20 100", "-n", "50", "-c", "5"); a.OK != 50 || a.Messages != 1000 {
				t.Errorf("streams: %+v", a.Counts)
			}
			if a := loads(t, 0, tcp+"note", "--fnf", "--codec", "text", "-d", "x", "-n", "300", "-c", "4"); a.OK != 300 {
				t.Errorf("one way: %+v", a.Counts)
			}
			if got := wg(t, append([]string{"compare", "ours=rsocket+tcp://" + ours + "/inventory.check", "theirs=" + tcp + "inventory.check",
				"--rounds", "2", "--turn", "50ms", "--warmup", "20", "-c", "4"}, question...)...); got.code != 0 || !strings.Contains(string(got.stdout), "ok: answer · request · reply") {
				t.Errorf("compare: exit %d\n%s%s", got.code, got.stdout, got.stderr)
			}
			// Ten thousand calls that nobody answers, all at once on one connection; then it answers as before.
			a := loads(t, 5, tcp+"never", "--codec", "text", "-d", "x", "-n", "10000", "-c", "10000", "--streams", "10000", "-t", "4s")
			if a.Due != 10000 || a.TimedOut != 10000 || a.Connections.Opened != 1 {
				t.Errorf("calls that nobody answers: %+v, %+v", a.Counts, a.Connections)
			}
			if got := wg(t, append([]string{"call", tcp + "inventory.check"}, question...)...); got.code != 0 || !strings.Contains(string(got.stdout), stockOfA1) {
				t.Errorf("call after them: exit %d\n%s%s", got.code, got.stdout, got.stderr)
			}
		})
	}
}
