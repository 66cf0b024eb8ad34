package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wiregauge/internal/transcript"
	"wiregauge/result"
)

const repository = "../.."

// pages are the README and all other pages of the repository, as paths from its root.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(repository, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(repository, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range list {
		if list[i], err = filepath.Rel(repository, path); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func readPage(t *testing.T, path string) (text string, page *transcript.Page) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repository, path))
	if err != nil {
		t.Fatal(err)
	}
	if page, err = transcript.Parse(string(raw)); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(raw), page
}

func writePage(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repository, path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every page is followed as a reader would: its files are written and its commands run in one folder. What they print
// must be what the page shows, but for numbers; -update rewrites it.
func TestPagesShowWhatTheirCommandsPrint(t *testing.T) {
	for _, path := range pages(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			text, page := readPage(t, path)
			for _, line := range page.Stray {
				t.Errorf("%s:%d: nobody runs this command: it does not stand in a block that begins with \"$ wiregauge\"", path, line)
			}
			v := follow(t, path, page)
			if shown := len(shownCommand.FindAllString(text, -1)); shown != v.ran {
				t.Errorf("%s shows %d wiregauge commands, but %d were run", path, shown, v.ran)
			}
			if *update {
				writePage(t, path, page.Rewrite(v.steps, v.refreshed))
			}
		})
	}
}

var shownCommand = regexp.MustCompile(`(?m)^[\s>]*\$ wiregauge\b`)

// Pages begin with something to try: a command, or the file that one is about to use.
func TestPagesBeginWithSomethingToTry(t *testing.T) {
	for _, path := range pages(t) {
		if filepath.Dir(path) != "docs" || path == filepath.Join("docs", "dependencies.md") {
			continue
		}
		if _, page := readPage(t, path); len(page.Items) == 0 || page.Items[0].Line > 15 {
			t.Errorf("%s does not begin with something to try", path)
		}
	}
}

// The README shows a demo that was saved; numbers included.
func TestTheReadmeShowsADemo(t *testing.T) {
	text, page := readPage(t, "README.md")
	step, ok := page.Block("go run ./cmd/wiregauge demo")
	if !ok {
		t.Fatal("the README does not show the demo")
	}
	told := invokeWith(t, t.Context(), map[string]string{"LC_ALL": "C.UTF-8"}, "", "report", filepath.Join("testdata", "demo.json"))
	if told.code != exitOK {
		t.Fatal(told.stderr)
	}
	if err := transcript.Match(step.Output, told.stdout); err != nil {
		t.Errorf("README.md:%d: %v", step.Line, err)
	}
	if fresh := transcript.Refresh(step.Output, told.stdout); fresh != step.Output {
		t.Errorf("README.md:%d: other numbers than those of testdata/demo.json; run with -update", step.Line)
		if *update {
			writePage(t, "README.md", strings.Replace(text, step.Output, fresh, 1))
		}
	}
}

var (
	codeSpan  = regexp.MustCompile("`wiregauge ([^`]+)`")
	threeDots = regexp.MustCompile(`\s*(…|\.\.\.)`)
)

// Commands in running text and in tables are not run, but they name commands and flags that exist.
func TestCommandsInTextAreWellFormed(t *testing.T) {
	seen := 0
	for _, path := range pages(t) {
		text, _ := readPage(t, path)
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			seen++
			line := threeDots.ReplaceAllString(strings.ReplaceAll(m[1], `\|`, "|"), "")
			args, err := splitCommand(line)
			if err != nil {
				t.Errorf("%s: %s: %v", path, m[0], err)
				continue
			}
			cmd, rest, err := newApp(strings.NewReader(""), &strings.Builder{}, &strings.Builder{}, os.LookupEnv).root().Find(args)
			if err == nil && !cmd.Hidden {
				err = cmd.ParseFlags(rest)
			}
			if err != nil && err.Error() != "pflag: help requested" {
				t.Errorf("%s: %s: %v", path, m[0], err)
			}
		}
	}
	if seen == 0 {
		t.Error("no page mentions a command")
	}
}

// What the README calls not in this version says so itself.
func TestWhatIsNotInThisVersionSaysSo(t *testing.T) {
	text, _ := readPage(t, "README.md")
	_, section, _ := strings.Cut(text, "\n## Not in this version\n")
	section, _, _ = strings.Cut(section, "\nAnd without such an answer:\n")
	names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(section, -1)
	if len(names) < 5 {
		t.Fatalf("the README names %d things only", len(names))
	}
	for _, m := range names {
		args := []string{m[1]}
		if strings.HasPrefix(m[1], "--") {
			args = []string{"run", "null://", m[1], "x"}
		}
		if s := invoke(t, args...); s.code != exitUsage || !strings.Contains(s.stderr, m[1]) || !strings.Contains(s.stderr, "not in this version") {
			t.Errorf("%s: exit %d\n%s", m[1], s.code, s.stderr)
		}
	}
}

// What can stand in a suite file is listed, all of it and nothing else.
func TestThePageOnSuitesNamesEveryKey(t *testing.T) {
	text, _ := readPage(t, filepath.Join("docs", "suites.md"))
	var keys []string
	for _, set := range append(suiteKeys().Suite, suiteKeys().Target...) {
		for _, o := range set.All() {
			if o.Suite {
				keys = append(keys, o.Name)
			}
		}
	}
	keys = append(keys, "load", "targets", "mode", "url", "start", "build", "dir", "environ")
	named := tableNames(text)
	for _, key := range keys {
		if !slices.Contains(named, key) {
			t.Errorf("docs/suites.md does not name the key %q", key)
		}
	}
	for _, name := range named {
		if !slices.Contains(keys, name) {
			t.Errorf("docs/suites.md names %q, which is no key of a suite", name)
		}
	}
}

// tableNames are the code words that begin the rows of a page's tables.
func tableNames(text string) []string {
	var names []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+)\\|").FindAllStringSubmatch(text, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			names = append(names, name[1])
		}
	}
	return names
}

// The fields that the page on results explains are fields of the schema.
func TestThePageOnResultsNamesFieldsThatExist(t *testing.T) {
	text, _ := readPage(t, filepath.Join("docs", "output.md"))
	named := tableNames(text)
	for _, name := range named {
		if field := name[strings.LastIndexByte(name, '.')+1:]; !strings.Contains(string(result.SchemaJSON), `"`+field+`":`) {
			t.Errorf("docs/output.md names the field %q, which no result has", name)
		}
	}
	if len(named) < 20 {
		t.Errorf("docs/output.md explains %d fields only", len(named))
	}
}
