//go:build external

package interop

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiregauge/result"
)

// A look is what lab/peers/browser/look.mjs found on one page.
type look struct {
	Page   string `json:"page"`
	Faults []struct {
		Theme, Impact, ID string
		Nodes             []string
	} `json:"faults"`
	Requests      []string `json:"requests"`
	Errors        []string `json:"errors"`
	Cut           []string `json:"cut"`
	FirstScreen   int      `json:"firstScreen"` // where it ends, in pixels of 720
	Last          string   `json:"last"`        // the first words of its last line
	ThemeSwitches bool     `json:"themeSwitches"`
	Sorted        *int     `json:"sorted"`
	JSON          string   `json:"json"` // paths of what the buttons gave
	CSV           string   `json:"csv"`
}

// TestPagesInChromium opens every kind of page offline: nothing is asked for, nothing fails, no text is cut off, axe-core
// finds no fault in either theme, the first screen fits 1280x720 and a printed page, and the buttons give the data.
// With PAGES set to a folder the pictures stay there, to be looked at.
func TestPagesInChromium(t *testing.T) {
	chromium, node, pdftotext := peer(t, "chromium"), peer(t, "node"), peer(t, "pdftotext")
	dir := os.Getenv("PAGES")
	if dir == "" {
		dir = t.TempDir()
	}
	if out, err := exec.Command("go", "run", "wiregauge/report/internal/pages", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{"../peers/browser/look.mjs", dir}, pages...)...)
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	seen := 0
	for line := range strings.Lines(stdout.String()) {
		var l look
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		seen++
		t.Run(l.Page, func(t *testing.T) {
			l.check(t)
			l.checkData(t, dir)
			out, err := exec.Command(pdftotext, "-l", "1", filepath.Join(dir, l.Page+".pdf"), "-").CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if last := l.Last; last != "" && !bytes.Contains(out, []byte(last)) {
				t.Errorf("the first printed page does not hold the first screen:\n%s", out)
			}
		})
	}
	if seen != len(pages) {
		t.Errorf("%d of %d pages were looked at", seen, len(pages))
	}
}

func (l *look) check(t *testing.T) {
	t.Helper()
	for _, f := range l.Faults {
		if f.Impact == "serious" || f.Impact == "critical" {
			t.Errorf("%s theme: %s, %s: %q", f.Theme, f.Impact, f.ID, f.Nodes)
		} else {
			t.Logf("%s theme: %s, %s: %q", f.Theme, f.Impact, f.ID, f.Nodes)
		}
	}
	if len(l.Requests)+len(l.Errors)+len(l.Cut) > 0 {
		t.Errorf("requests %q, errors %q, cut off %q", l.Requests, l.Errors, l.Cut)
	}
	if l.FirstScreen > 720 && l.Page != "hostile-text" { // whose title alone takes many lines
		t.Errorf("the first screen ends at %d of 720 pixels", l.FirstScreen)
	}
	if !l.ThemeSwitches || l.Sorted != nil && *l.Sorted != 1 {
		t.Errorf("the theme switches: %v; tables that were sorted: %v", l.ThemeSwitches, l.Sorted)
	}
}

// checkData compares what the buttons gave with the result beside the page.
func (l *look) checkData(t *testing.T, dir string) {
	t.Helper()
	got, err := os.ReadFile(l.JSON)
	if err != nil {
		t.Fatalf("the JSON button: %v", err)
	}
	want, err := os.ReadFile(filepath.Join(dir, l.Page+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the JSON button gives %d bytes that differ from the result", len(got))
	}
	files, err := result.ReadAll(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	arms := 0
	for _, f := range files {
		arms += len(f.Arms)
	}
	text, err := os.ReadFile(l.CSV)
	if err != nil {
		t.Fatalf("the CSV button: %v", err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 1+arms {
		t.Errorf("the CSV button gives %d rows for %d arms: %v", len(rows), arms, err)
	}
}
