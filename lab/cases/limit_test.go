package cases

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge/result"
)

// K30: a client that is held to one processor cannot saturate a fast server. Whether it was the limit depends on the
// machine, and is printed; what is said must agree with it in any case: the fast arm is marked, its verdict says "at
// least" or names no winner, and the servers' CPU per call, which tells the truth all the same, stands beside it.
func TestTheClientAsTheLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(more string) string {
		return "'" + binary + "' serve hello --plain --protocol grpc --port {port}" + more
	}
	cmd := exec.CommandContext(t.Context(), binary, "compare", "slow=grpc://127.0.0.1:{port}/wg.v1.Hello/SayHello", "fast=grpc://127.0.0.1:{port}/wg.v1.Hello/SayHello",
		"--set", "slow.start="+start(" --plant delay=5ms"), "--set", "fast.start="+start(""), "-d", `{"greeting":"Ada"}`,
		"-c", "50", "--launches", "2", "--rounds", "3", "--turn", "150ms", "--warmup", "100", "-o", "json="+filepath.Join(dir, "r.json"), "-o", "text=-")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "LC_ALL=C.UTF-8")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f, err := result.Read(strings.NewReader(read(t, filepath.Join(dir, "r.json"))))
	if err != nil {
		t.Fatal(err)
	}
	limited := f.Arms[1].Limited == "client"
	for _, v := range f.Verdicts {
		switch {
		case v.Metric == "server_cpu" && v.Ratio != nil:
			t.Logf("server CPU per call: slow is %.2gx of fast", *v.Ratio)
		case v.Metric != "rate" || v.Outcome != result.Faster && v.Outcome != result.ProbablyFaster:
		case v.AtLeast != limited:
			t.Errorf("fast is limited by %q, and the verdict says at least: %v", f.Arms[1].Limited, v.AtLeast)
		case limited && !strings.Contains(string(text), "at least"):
			t.Errorf("the report does not say it:\n%s", text)
		}
	}
	for i := range f.Arms {
		conserved(t, f.Arms[i].Counts)
		if f.Arms[i].Server == nil {
			t.Errorf("the CPU of the server of %s is not known", f.Arms[i].Name)
		}
		t.Logf("%s: %.0f calls/s, limited by %q", f.Arms[i].Name, f.Arms[i].AchievedRate, f.Arms[i].Limited)
	}
}
