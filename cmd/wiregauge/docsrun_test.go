package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"wiregauge/internal/transcript"
	"wiregauge/lab"
)

// shellWords are what a command of a page may begin with.
var shellWords = []string{"wiregauge", "cat", "head", "grep", "echo"}

// A visit is one reader of a page: a folder, ports, servers in the background.
type visit struct {
	dir     string
	env     []string
	ports   int // stands for the page's first port
	servers []*exec.Cmd
	ended   context.Context
	code    int  // of the last command
	asked   bool // that code was shown

	ran       int // commands of wiregauge
	steps     []transcript.Step
	refreshed []string
	faults    []string
}

// errPortTaken is another process that took one of the visit's ports meanwhile.
var errPortTaken = errors.New("a port was taken meanwhile")

// follow does all that a page shows. On a busy machine one visit may see other words than the page has (a rate that
// was not met), and another process may take one of its ports; what is wrong with a page is wrong every time.
func follow(t *testing.T, path string, page *transcript.Page) *visit {
	t.Helper()
	var v *visit
	for range visits {
		v = newVisit(t)
		err := v.page(page)
		v.stop()
		switch {
		case errors.Is(err, errPortTaken):
			v.faults = append(v.faults, " "+err.Error())
		case err != nil:
			t.Fatalf("%s: %v", path, err)
		}
		if len(v.faults) == 0 || *update {
			return v
		}
		t.Logf("once it was otherwise: %s", strings.Join(v.faults, "\n"))
	}
	for _, f := range v.faults {
		t.Errorf("%s:%s", path, f)
	}
	return v
}

// visits is how often a page is followed until it is right.
const visits = 3

func newVisit(t *testing.T) *visit {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "wiregauge")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // for a command that hangs
	t.Cleanup(cancel)
	return &visit{dir: dir, ports: portsInARow(t), ended: ctx, env: append(plainEnvironment(),
		asProgram+"=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "LC_ALL=C.UTF-8")}
}

// plainEnvironment is ours without what would change the program's output.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(e), "=")
		return strings.HasPrefix(name, "WIREGAUGE_") || strings.HasSuffix(name, "_PROXY") || name == "SSLKEYLOGFILE" || name == "LANG" || strings.HasPrefix(name, "LC_")
	})
}

// Pages use ports from pagePorts on; each visit has as many of its own.
const (
	pagePorts = 18080
	portCount = 30
)

var rows struct {
	sync.Mutex
	first []int
}

// portsInARow finds the first of portCount free ports that no other visit uses.
func portsInARow(t *testing.T) int {
	t.Helper()
	rows.Lock()
	defer rows.Unlock()
	for range 200 {
		first, err := lab.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		near := func(other int) bool { return first < other+portCount && other < first+portCount }
		if first+portCount > 32768 || slices.ContainsFunc(rows.first, near) || !free(first) {
			continue
		}
		rows.first = append(rows.first, first)
		return first
	}
	t.Fatal("no free ports in a row")
	return 0
}

func free(first int) bool {
	for port := first; port < first+portCount; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}

var fiveDigits = regexp.MustCompile(`\b\d{5}\b`)

// real turns the ports of a page into those of the visit, shown turns them back.
func (v *visit) real(text string) string  { return movePorts(text, pagePorts, v.ports) }
func (v *visit) shown(text string) string { return movePorts(text, v.ports, pagePorts) }

func movePorts(text string, from, to int) string {
	return fiveDigits.ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(s)
		if n < from || n >= from+portCount {
			return s
		}
		return strconv.Itoa(n - from + to)
	})
}

func (v *visit) page(p *transcript.Page) error {
	for _, item := range p.Items {
		if item.Name != "" {
			if err := os.WriteFile(filepath.Join(v.dir, item.Name), []byte(v.real(item.Text)), 0o644); err != nil {
				return err
			}
			continue
		}
		for _, s := range item.Steps {
			if err := v.step(s); err != nil {
				return fmt.Errorf("line %d: %w", s.Line, err)
			}
		}
	}
	v.judgeCode(0)
	return nil
}

func (v *visit) fault(line int, format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf("%d: ", line)+fmt.Sprintf(format, args...))
}

// step carries out one command and compares.
func (v *visit) step(s transcript.Step) error {
	first, _, _ := strings.Cut(s.Command, " ")
	var printed string
	var err error
	switch {
	case s.Command == "echo $?":
		printed, v.asked = strconv.Itoa(v.code), true
		if printed != strings.TrimSpace(s.Output) {
			v.fault(s.Line, "the exit code is %s, not %s", printed, s.Output)
		}
	case !slices.Contains(shellWords, first):
		return fmt.Errorf("%q: pages may use %s only", s.Command, strings.Join(shellWords, ", "))
	case s.Background:
		printed, err = v.start(v.real(s.Command))
	default:
		v.judgeCode(s.Line)
		printed, err = v.command(v.real(s.Command))
	}
	if err != nil {
		return err
	}
	if first == "wiregauge" {
		v.ran++
	}
	printed = v.shown(printed)
	if err := transcript.Match(s.Output, printed); err != nil && !*update {
		v.fault(s.Line, "%s: %v\n--- printed:\n%s", s.Command, err, printed)
	}
	v.steps = append(v.steps, s)
	v.refreshed = append(v.refreshed, transcript.Refresh(s.Output, printed))
	return nil
}

// judgeCode wants that a command that failed was followed by its exit code.
func (v *visit) judgeCode(line int) {
	if v.code != 0 && !v.asked {
		v.fault(line, "the command before ended with exit code %d, and the page does not say so with \"$ echo $?\"", v.code)
	}
	v.code, v.asked = 0, false
}

// command runs one command to its end; a terminal would show both of its outputs in this order.
func (v *visit) command(line string) (string, error) {
	cmd := v.shell(line)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", err
	}
	v.code = cmd.ProcessState.ExitCode()
	return string(out), v.ended.Err()
}

func (v *visit) shell(line string) *exec.Cmd {
	cmd := exec.CommandContext(v.ended, "sh", "-c", line)
	cmd.Dir, cmd.Env = v.dir, v.env
	return cmd
}

// start leaves a server running once it says that it serves, and gives what it printed until then.
func (v *visit) start(line string) (string, error) {
	cmd := v.shell("exec " + line)
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	w.Close()
	if err != nil {
		return "", err
	}
	v.servers = append(v.servers, cmd)
	var printed strings.Builder
	in := bufio.NewReader(r)
	for !strings.HasSuffix(printed.String(), "serving until Ctrl-C\n") {
		text, err := in.ReadString('\n')
		printed.WriteString(text)
		if strings.Contains(text, "address already in use") {
			err = errPortTaken
		}
		if err != nil {
			r.Close()
			return "", fmt.Errorf("%s does not serve: %w\n%s", line, err, printed.String())
		}
	}
	go func() {
		defer r.Close()
		_, _ = io.Copy(io.Discard, in)
	}()
	return printed.String(), nil
}

// stop ends the servers as Ctrl-C does.
func (v *visit) stop() {
	for _, cmd := range v.servers {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			continue // it has ended, and said so
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupt {
			v.fault(0, "%s ended with %v on Ctrl-C", cmd, err)
		}
	}
}
