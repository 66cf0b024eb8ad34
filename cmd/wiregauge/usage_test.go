package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMistakesAreToldInWords is every mistake of a command line, with what is said about it. Nothing is sent: no
// target of the table exists.
func TestMistakesAreToldInWords(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	suiteFile := write("suite.yaml", "targets: {x: 'http://h'}\nload:\n  concurency: 64\n")
	twoTargets := write("two.yaml", "targets:\n  rest: http://127.0.0.1:1/\n  other: http://127.0.0.1:1/x\n")
	noPEM := write("empty.pem", "nothing\n")
	const http = "http://127.0.0.1:1/"
	var b strings.Builder
	for _, c := range []struct {
		name string
		args []string
	}{
		{"an unknown command", []string{"rnu", http}},
		{"a target without a command", []string{http}},
		{"a command of later", []string{"ui"}},
		{"a command of later with flags", []string{"ghz", "--insecure", "-n", "1", "host:1"}},
		{"an unknown flag", []string{"run", "--concurency", "3", http}},
		{"an unknown shorthand", []string{"run", "-Y", http}},
		{"a long name after one dash", []string{"run", "-insecure", http}},
		{"a flag of later", []string{"run", "--net", "rate=1mbit", http}},
		{"failed calls beside the others", []string{"run", "--include-errors", http}},
		{"a search at a rate", []string{"run", "--find-max", "p99<50ms", "-R", "100", http}},
		{"a search for a rate that is given", []string{"run", "--find-max", "rate>=100", http}},
		{"a search without a bound", []string{"run", "--find-max", "p99", http}},
		{"a longest time of nothing", []string{"run", "--max-duration", "1m", http}},
		{"a warm-up on a rise", []string{"run", "--warmup", "auto", "--ramp", "rate=0..100/10s", http}},
		{"a longest warm-up of none", []string{"run", "--warmup-max", "10s", http}},
		{"a flag of another command", []string{"run", "--rounds", "5", http}},
		{"curl's word for h2c", []string{"run", "--http2-prior-knowledge", http}},
		{"redirects", []string{"run", "-L", http}},
		{"a flag without its value", []string{"run", http, "-n"}},
		{"no target", []string{"run"}},
		{"two targets", []string{"run", http, http}},
		{"a bare host and port", []string{"run", "localhost:50051"}},
		{"an unknown scheme", []string{"run", "grcp://localhost:1/x"}},
		{"a scheme of later", []string{"run", "dubbo://localhost:20880/x"}},
		{"no calls", []string{"run", http, "-n", "0"}},
		{"a negative number of calls", []string{"run", http, "-n", "-5"}},
		{"an absurd number of calls", []string{"run", http, "-n", "99999999999999999999"}},
		{"nobody calls", []string{"run", http, "-c", "0"}},
		{"too many callers", []string{"run", http, "-c", "1000000000"}},
		{"a rate of 0", []string{"run", http, "-r", "0"}},
		{"a negative rate", []string{"run", http, "-r", "-1"}},
		{"a rate beyond sense", []string{"run", http, "-r", "10g"}},
		{"a rate of no second call", []string{"run", http, "-r", "0.0000001/h"}},
		{"a duration of nothing", []string{"run", http, "-z", "1us"}},
		{"a ramp of nothing", []string{"run", http, "--ramp", "1..8x2/1ns"}},
		{"a duration without unit", []string{"run", http, "-z", "10"}},
		{"a duration of 0", []string{"run", http, "-z", "0s"}},
		{"a duration beyond sense", []string{"run", http, "-z", "10000h"}},
		{"hey's method", []string{"run", http, "-m", "POST"}},
		{"curl's time limit", []string{"run", http, "-m", "5"}},
		{"metadata that is no object of strings", []string{"run", http, "-m", `{"a":1}`}},
		{"a header without colon", []string{"run", http, "-H", "Accept"}},
		{"a header with a line break", []string{"run", http, "-H", "a: b\r\nc: d"}},
		{"data twice", []string{"run", http, "-d", "x", "-D", "y"}},
		{"wrk's threads and duration", []string{"run", "-t2", "-c100", "-d30s", http}},
		{"wrk's duration", []string{"run", "-d2s", http}},
		{"grpcurl's list", []string{"call", "localhost:50051", "list"}},
		{"grpcurl's describe", []string{"call", "localhost:50051", "describe", "inv.v1.Inventory"}},
		{"a colour in call", []string{"call", "--no-color", http}},
		{"a data file that is not there", []string{"run", http, "-d", "@/nowhere/data.json"}},
		{"callers beyond the places", []string{"run", http, "-c", "50", "--connections", "5"}},
		{"callers beyond the streams", []string{"run", "h2c://127.0.0.1:1/", "-c", "50", "--streams", "10"}},
		{"a pause in an open loop", []string{"run", http, "-r", "5", "--think", "1s"}},
		{"two words for one thing", []string{"run", http, "-r", "5", "-c", "3", "--max-inflight", "4"}},
		{"a cap without a rate", []string{"run", http, "--max-inflight", "4"}},
		{"a ramp with a length", []string{"run", http, "--ramp", "1..8x2/1s", "-z", "5s"}},
		{"a ramp that is none", []string{"run", http, "--ramp", "fast"}},
		{"a ramp by nothing", []string{"run", http, "--ramp", "1..8x1/1s"}},
		{"a stream of one message", []string{"run", "tcp://127.0.0.1:1", "--take", "3"}},
		{"a compressed stream to cut short", []string{"run", http, "--take", "3", "--compressed"}},
		{"pipelined streams to cut short", []string{"run", http, "--take", "3", "--streams", "2"}},
		{"a stream of bytes to cut short", []string{"call", http, "--take", "3", "--codec", "binary"}},
		{"a server process that is not there", []string{"run", "null://", "--server-pid", "4194304"}},
		{"a shell without completion", []string{"completion", "csh"}},
		{"a stop that is none", []string{"run", http, "--stop", "now"}},
		{"a stop that libraries do not know", []string{"run", http, "--stop", "drop", "--client", "stack"}},
		{"a gate that is none", []string{"run", http, "--fail-if", "p99"}},
		{"a gate on a misspelt metric", []string{"run", http, "--fail-if", "erors<1%"}},
		{"a gate on an arm", []string{"run", http, "--fail-if", "rest.p99<1s"}},
		{"a gate against a baseline", []string{"run", http, "--fail-if", "p99<+10%"}},
		{"a share without percent", []string{"run", http, "--max-errors", "5"}},
		{"percentile 100", []string{"run", http, "--percentiles", "50,100"}},
		{"an output without format", []string{"run", http, "-o", "result.xyz"}},
		{"an output to nowhere", []string{"run", http, "-o", "json=/nowhere/there/r.json"}},
		{"two outputs to stdout", []string{"run", http, "-o", "json=-", "-o", "csv=-"}},
		{"a CA file without CA", []string{"run", "https://127.0.0.1:1/", "--cacert", noPEM}},
		{"TLS flags on plaintext", []string{"run", http, "--cacert", noPEM}},
		{"a key without a certificate", []string{"run", "https://127.0.0.1:1/", "--key", noPEM}},
		{"TLS versions upside down", []string{"run", "https://127.0.0.1:1/", "--tls-min", "1.3", "--tls-max", "1.2"}},
		{"an unknown TLS version", []string{"run", "https://127.0.0.1:1/", "--tls-min", "9"}},
		{"HTTP/2 on http", []string{"run", http, "--http2"}},
		{"HTTP/3", []string{"run", "https://127.0.0.1:1/", "--http3"}},
		{"both IP versions", []string{"run", http, "-4", "-6"}},
		{"resolve without address", []string{"run", http, "--resolve", "h:80"}},
		{"an unknown framing", []string{"run", "tcp://127.0.0.1:1?framing=xml"}},
		{"an unknown option of tcp", []string{"run", "tcp://127.0.0.1:1?framng=raw"}},
		{"a method without contract", []string{"run", http, "--call", "a.B/C"}},
		{"reflection of HTTP", []string{"run", http, "--reflect"}},
		{"no method", []string{"run", "grpc://127.0.0.1:1"}},
		{"a proto file that is not there", []string{"run", "grpc://127.0.0.1:1/a.B/C", "--proto", "nowhere.proto"}},
		{"a label that is none", []string{"run", http, "--label", "x"}},
		{"a misspelt key in a suite", []string{"run", "-f", suiteFile}},
		{"a suite that is not there", []string{"run", "-f", "/nowhere/suite.yaml"}},
		{"a suite of two targets", []string{"run", "-f", twoTargets}},
		{"a target the suite does not have", []string{"run", "-f", twoTargets, "rset"}},
		{"an environment variable that does not fit", []string{"ENV", "run", http}},
		{"a table for an unknown tool", []string{"help", "coming-from", "hye"}},
		{"arguments of version", []string{"version", "please"}},
	} {
		env := map[string]string{}
		args := c.args
		if args[0] == "ENV" {
			env["WIREGAUGE_CONCURRENCY"], args = "many", args[1:]
		}
		s := invokeWith(t, t.Context(), env, "", args...)
		if s.code != exitUsage {
			t.Errorf("%s: exit %d, want 2\n%s", c.name, s.code, s.stderr)
		}
		if s.stdout != "" {
			t.Errorf("%s: standard output holds %q", c.name, s.stdout)
		}
		fmt.Fprintf(&b, "## %s\n$ wiregauge %s\n%s\n", c.name, strings.Join(quoteArgs(args), " "), s.stderr)
	}
	golden(t, "mistakes.txt", strings.ReplaceAll(b.String(), dir, "DIR"))
}

func quoteArgs(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if strings.ContainsAny(a, " \"{<\r\n") {
			a = "'" + strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(a) + "'"
		}
		out[i] = a
	}
	return out
}

func TestUnreachableTargets(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"nobody listens", "127.0.0.1:1", []string{"run", "http://127.0.0.1:1/", "-n", "1"}},
		{"nobody listens to reflection", "127.0.0.1:1", []string{"run", "grpc://127.0.0.1:1/a.B/C", "-n", "1"}},
		{"nobody listens to the ALPN probe", "127.0.0.1:1", []string{"run", "https://127.0.0.1:1/", "-n", "1"}},
		{"no such socket", "nowhere.sock", []string{"run", "http+unix:///nowhere.sock?path=/", "-n", "1"}},
		{"nobody tells statistics", "--server-stats http://127.0.0.1:1", []string{"run", "null://", "-n", "1", "--server-stats", "http://127.0.0.1:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := invoke(t, c.args...)
			if s.code != exitUnreachable || !strings.Contains(s.stderr, c.want) || !strings.Contains(s.stderr, "exit 3 after") {
				t.Errorf("exit %d\n%s", s.code, s.stderr)
			}
		})
	}
}
