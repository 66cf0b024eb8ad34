package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGitHubActionsSeesGatesAndASummary(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(summary, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "null://", "-n", "500", "-c", "2", "-s", "--fail-if", "bytes<1", "-o", "json=-"}
	env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary}
	got := invokeWith(t, context.Background(), env, "", args...)
	if got.code != exitGate || !strings.Contains(got.stderr, "\n::error title=wiregauge%3A gate failed::gate bytes<1: FAILED") &&
		!strings.HasPrefix(got.stderr, "::error title=wiregauge%3A gate failed::gate bytes<1: FAILED") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
	if strings.Contains(got.stdout, "::error") {
		t.Error("a workflow command on standard output, where the result is")
	}
	text, err := os.ReadFile(summary)
	if err != nil || !strings.HasPrefix(string(text), "before\n## ") || !strings.Contains(string(text), "bytes<1") {
		t.Errorf("summary (%v):\n%s", err, text)
	}
	env["GITHUB_STEP_SUMMARY"] = filepath.Join(t.TempDir(), "no", "folder")
	if got := invokeWith(t, context.Background(), env, "", args...); got.code != exitGate || !strings.Contains(got.stderr, "warning: the step's summary") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
	env["GITHUB_ACTIONS"] = "false"
	if got := invokeWith(t, context.Background(), env, "", args...); strings.Contains(got.stderr, "::") {
		t.Errorf("outside of GitHub Actions:\n%s", got.stderr)
	}
}
