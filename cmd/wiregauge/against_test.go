package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiregauge/internal/gate"
	"wiregauge/result"
)

// A repository with one commit, tagged v1, and a working tree that is ahead of it; both have a start script that says
// into the log which of them was started.
func versioned(t *testing.T) (dir, log string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	dir, log = t.TempDir(), filepath.Join(t.TempDir(), "log")
	t.Setenv("TEST_LOG", log)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	script := func(version string) {
		text := fmt.Sprintf("echo %s >> \"$TEST_LOG\"\nexec %s\n", version, startOf(t, `serve inventory --plain --protocol http --port "$1"`))
		if err := os.WriteFile(filepath.Join(dir, "server.sh"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script("old")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "one"}, {"tag", "v1"},
	} {
		if _, err := git(context.Background(), dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	script("new")
	t.Chdir(dir)
	t.Setenv("TMPDIR", t.TempDir())
	return dir, log
}

// tidied checks that nothing of the copy is left.
func tidied(t *testing.T, dir string) {
	t.Helper()
	list, err := git(context.Background(), dir, "worktree", "list")
	if err != nil || strings.Count(list, "\n") != 0 {
		t.Errorf("work trees %q, %v", list, err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "wiregauge-base-*")); len(left) > 0 {
		t.Errorf("left in the temporary folder: %q", left)
	}
}

const startedNow = "now=http://127.0.0.1:{port}/v1/inventory/check"

func TestCompareAgainstACommit(t *testing.T) {
	dir, log := versioned(t)
	f, s := measured(t, exitUndecided, "compare", startedNow, "--against", "v1", "--set", "now.start=sh server.sh {port}",
		"-d", demoData, "-c", "2", "--launches", "2", "--rounds", "2", "--turn", "10ms", "--warmup", "10", "--fail-if", "p50<+10%")
	if len(f.Arms) != 2 || f.Arms[0].Name != "v1" || !f.Arms[0].Baseline || f.Arms[0].OK == 0 || f.Arms[1].Name != "now" || f.Arms[1].OK == 0 {
		t.Errorf("arms %+v", f.Arms)
	}
	text, _ := os.ReadFile(log)
	if strings.Count(string(text), "old") != 2 || strings.Count(string(text), "new") != 2 {
		t.Errorf("started: %q", text)
	}
	if g := f.Gates[0]; g.Arm != "now" || g.Passed || !strings.Contains(g.Unknown, "launch") {
		t.Errorf("gate %+v\n%s", g, s.stderr)
	}
	tidied(t, dir)
}

func TestRunAgainstACommitIsAComparison(t *testing.T) {
	dir, _ := versioned(t)
	suite := "targets:\n  now: {url: \"http://127.0.0.1:{port}/v1/inventory/check\", start: 'sh server.sh {port}', build: 'sh -c \"echo built >> made\"'}\n" +
		"load: {launches: 1, rounds: 2, turn: 10ms, warmup: 10, concurrency: 2}\ndata: '" + demoData + "'\n"
	if err := os.WriteFile("smoke.yaml", []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := measured(t, exitUndecided, "run", "-f", "smoke.yaml", "--against", "main", "--fail-if", "p99<+10%")
	if f.Kind != "comparison" || len(f.Arms) != 2 || f.Arms[0].Name != "main" || f.Arms[1].OK == 0 {
		t.Errorf("%s of %+v", f.Kind, f.Arms)
	}
	if text, _ := os.ReadFile("made"); string(text) != "built\n" {
		t.Errorf("the present tree was built into %q", text)
	}
	tidied(t, dir)
}

func TestACommitThatCannotBeComparedWith(t *testing.T) {
	dir, _ := versioned(t)
	start := "now.start=sh server.sh {port}"
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no such commit":      {[]string{"compare", startedNow, "--against", "v9", "--set", start}, exitUsage, "neither a file nor a commit of"},
		"no start command":    {[]string{"compare", startedNow, "--against", "v1"}, exitUsage, "needs its start command"},
		"a fixed port":        {[]string{"compare", "now=http://127.0.0.1:81/", "--against", "v1", "--set", start}, exitUsage, "write {port}"},
		"a build that fails":  {[]string{"compare", startedNow, "--against", "v1", "--set", start, "--set", "now.build=sh -c 'echo no such luck; exit 3'"}, exitUsage, "no such luck"},
		"run without a suite": {[]string{"run", "http://127.0.0.1:81/", "--against", "v1"}, exitUsage, "knows no start command"},
		"a start that fails":  {[]string{"compare", startedNow, "--against", "v1", "--set", "now.start=sh -c 'exit 4'"}, exitUnreachable, "arm "},
	} {
		t.Run(name, func(t *testing.T) {
			if s := invoke(t, c.args...); s.code != c.code || !strings.Contains(s.stderr, c.want) {
				t.Errorf("exit %d, want %d and %q\n%s", s.code, c.code, c.want, s.stderr)
			}
			tidied(t, dir)
		})
	}
	t.Chdir(t.TempDir())
	if s := invoke(t, "compare", startedNow, "--against", "v1", "--set", start); s.code != exitUsage || !strings.Contains(s.stderr, "no git repository") {
		t.Errorf("outside of a repository: exit %d\n%s", s.code, s.stderr)
	}
}

func TestACommitThatIsInterruptedIsTidiedUp(t *testing.T) {
	dir, log := versioned(t)
	ctx, stop := context.WithCancelCause(context.Background())
	go func() {
		for { // until both servers have been started
			if text, _ := os.ReadFile(log); strings.Count(string(text), "\n") >= 2 {
				stop(interrupted{syscall.SIGINT})
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	s := invokeWith(t, ctx, nil, "", "compare", startedNow, "--against", "v1", "--set", "now.start=sh server.sh {port}",
		"-d", demoData, "--launches", "1000", "--rounds", "2", "--turn", "10ms", "--warmup", "10")
	if s.code != exitInterrupt {
		t.Errorf("exit %d\n%s", s.code, s.stderr)
	}
	tidied(t, dir)
}

func TestABuildThatIsInterruptedEndsWhole(t *testing.T) {
	dir, log := versioned(t)
	ctx, stop := context.WithCancelCause(context.Background())
	pid := 0
	go func() {
		for pid == 0 {
			if text, _ := os.ReadFile(log); strings.HasSuffix(string(text), "\n") {
				pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
			}
		}
		stop(interrupted{syscall.SIGINT})
	}()
	s := invokeWith(t, ctx, nil, "", "compare", startedNow, "--against", "v1", "--set", "now.start=sh server.sh {port}",
		"--set", `now.build=sh -c "sleep 1000 & echo $! > $TEST_LOG; wait"`)
	if s.code != exitInterrupt || !strings.Contains(s.stderr, "stopped while arm v1 was built") {
		t.Errorf("exit %d\n%s", s.code, s.stderr)
	}
	for runs(pid) {
		runtime.Gosched()
	}
	tidied(t, dir)
}

// saveOf writes what a comparison could have saved.
func saveOf(t *testing.T, f *result.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saved.json")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := f.Write(out); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunAgainstASavedRun(t *testing.T) {
	url := answering(t, 0, 200, "x")
	old, _ := measured(t, exitOK, "run", url, "-n", "2000", "-c", "2")
	saved := saveOf(t, old)
	f, s := measured(t, exitUndecided, "run", url, "-n", "2000", "-c", "2", "--against", saved, "--fail-if", "p50<+10%", "--fail-if", "errors<1%")
	if f.Against == nil || f.Against.ID != old.ID || len(f.Against.Verdicts) != 4 || f.Against.Verdicts[0].Ratio == nil {
		t.Fatalf("against %+v", f.Against)
	}
	if v := f.Against.Verdicts[0]; v.Outcome != result.Inconclusive || v.Confidence != "LOW" {
		t.Errorf("one launch on either side says %s %s", v.Outcome, v.Confidence)
	}
	if len(f.Gates) != 2 || !f.Gates[0].Passed || f.Gates[1].Unknown == "" || f.Gates[1].Value == nil {
		t.Errorf("gates %+v", f.Gates)
	}
	if !strings.Contains(s.stdout, "at another time") {
		t.Errorf("the report does not say it:\n%s", s.stdout)
	}
	f, _ = measured(t, exitOK, "run", url, "-n", "200", "-c", "4", "--against", saved)
	if v := f.Against.Verdicts[0]; v.Outcome != result.NotFair || !strings.Contains(strings.Join(v.Reasons, " "), "calls in flight: 2 then, 4 now") {
		t.Errorf("another load: %+v", v)
	}
}

func TestSavedResultsThatAreNone(t *testing.T) {
	f := result.NewFile("run")
	f.Arms = []result.Arm{result.Merge([]result.Turn{{Window: time.Second}}, []float64{50})}
	whole := saveOf(t, f)
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"truncated":             {string(text[:len(text)/2]), "ends"},
		"empty":                 {"", "empty"},
		"another tool's":        {`{"metrics":{"http_req_duration":{"avg":1}}}`, "saved.json"},
		"no JSON":               {"latency 5 ms", "saved.json"},
		"two results in a file": {"[" + string(text) + "," + string(text) + "]", "holds 2 results"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "saved.json")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range [][]string{{"run", "http://127.0.0.1:1/"}, {"compare", "a=http://127.0.0.1:1/", "b=http://127.0.0.1:1/"}} {
				if s := invoke(t, append(command, "--against", path)...); s.code != exitUsage || !strings.Contains(s.stderr, c.want) {
					t.Errorf("exit %d, want %q\n%s", s.code, c.want, s.stderr)
				}
			}
		})
	}
}

// Ten launches on either side, twice as fast: different, and still LOW, and no gate.
func TestCompareAgainstASavedComparison(t *testing.T) {
	side := func(rate float64) *result.File {
		f := result.NewFile("comparison")
		f.Plan.Loop, f.Plan.Percentiles = "closed", []float64{50}
		arm := result.Merge([]result.Turn{{Window: time.Second, Counts: result.Counts{Due: 9, Sent: 9, OK: 9}}}, []float64{50})
		arm.Name = "a"
		f.Arms = []result.Arm{arm}
		for l := range 10 {
			for r := range 3 {
				f.Turns = append(f.Turns, result.Row{Arm: "a", Launch: l, Round: r, Rate: rate * (1 + float64(l)/100)})
			}
		}
		return f
	}
	y := &yardstick{"old.json", side(1000)}
	f := side(2000)
	y.against(f, minEffect)
	v := f.Against.Verdicts[0]
	if v.Metric != "rate" || v.Outcome != result.Faster || v.Confidence != "LOW" || v.Units != 10 || *v.Ratio < 1.9 || *v.Ratio > 2.1 {
		t.Errorf("verdict %+v", v)
	}
	gates, err := gate.ParseAll([]string{"rate>-5%"})
	if err != nil {
		t.Fatal(err)
	}
	if g := judgeGates(gates, f)[0]; g.Passed || !strings.Contains(g.Unknown, "at another time") || g.Value == nil {
		t.Errorf("gate %+v", g)
	}
	if _, err := json.Marshal(f); err != nil {
		t.Error(err)
	}
}

func TestGatesOnAChange(t *testing.T) {
	ref := func(x float64) *float64 { return &x }
	verdicts := func(metric string, ratio, low, high float64, units int) []result.Verdict {
		return []result.Verdict{{Metric: metric, A: "old", B: "new", Outcome: result.Slower, Ratio: ref(ratio), Low: ref(low), High: ref(high), Unit: "launch", Units: units, Look: units}}
	}
	for _, c := range []struct {
		name, expr string
		verdicts   []result.Verdict
		passed     bool
		unknown    string
	}{
		{"the whole interval is good", "p99<+10%", verdicts("p99", .98, .95, 1.01, 10), true, ""},
		{"the whole interval is bad", "p99<+10%", verdicts("p99", .8, .75, .85, 10), false, ""},
		{"the interval reaches over the bound", "p99<+10%", verdicts("p99", .92, .88, .95, 10), false, "reaches over"},
		{"a rate that fell too far", "rate>-5%", verdicts("rate", .9, .88, .92, 10), false, ""},
		{"goodput is the rate of a comparison", "goodput>-5%", verdicts("rate", 1, .98, 1.02, 10), true, ""},
		{"too few launches", "p99<+10%", verdicts("p99", .98, .95, 1.01, 5), false, "5 launches"},
		{"bytes are counted", "bytes<+10%", []result.Verdict{{Metric: "bytes", A: "old", B: "new", Ratio: ref(.95), Unit: "round"}}, true, ""},
		{"another arm", "other.p99<+10%", verdicts("p99", .98, .95, 1.01, 10), false, `no arm "other"`},
		{"a metric that was not compared", "mean<+10%", verdicts("p99", .98, .95, 1.01, 10), false, "was not compared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &result.File{Arms: []result.Arm{{Name: "old", Baseline: true}, {Name: "new"}, {Name: "tcp", Floor: true}, {Name: "old-again", Control: true}}, Verdicts: c.verdicts}
			gates, err := gate.ParseAll([]string{c.expr})
			if err != nil {
				t.Fatal(err)
			}
			list := judgeGates(gates, f)
			if len(list) != 1 || list[0].Passed != c.passed || (list[0].Unknown == "") != (c.unknown == "") || !strings.Contains(list[0].Unknown, c.unknown) {
				t.Errorf("gates %+v", list)
			}
			if gate.Say(list[0]) == "" {
				t.Error("nothing to say")
			}
		})
	}
}
