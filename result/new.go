package result

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// NewFile is an empty record of kind "run" or "comparison", made now, by this program, on this machine. Its trust
// is "unchecked".
func NewFile(kind string) *File {
	return &File{
		Schema:  Schema,
		ID:      NewID(),
		Kind:    kind,
		Created: time.Now().UTC().Truncate(time.Second),
		Command: []string{},
		Tool:    thisTool(),
		Host:    thisHost(),
		Trust:   Trust{Level: "unchecked", Reasons: []Reason{}},
		Arms:    []Arm{},
	}
}

// NewID is 8 hexadecimal digits: short enough to type. It is for who has to name a result before it is there.
func NewID() string {
	var id [4]byte
	rand.Read(id[:]) // never fails (crypto/rand)
	return hex.EncodeToString(id[:])
}

func thisTool() Tool {
	t := Tool{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		t.Version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			t.Commit = s.Value[:min(len(s.Value), 12)]
		}
	}
	return t
}

func thisHost() Host {
	name, _ := os.Hostname() // an unnamed machine is no reason to lose a result
	return Host{
		Name: name, OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernel(),
		CPUs: runtime.NumCPU(), CPU: cpuModel(), Procs: runtime.GOMAXPROCS(0),
	}
}

// cpuModel is the processor's name where the system tells it (Linux); else empty.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	var model string
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) == "model name" {
			model = cmp.Or(model, strings.TrimSpace(value))
		}
	}
	return model
}
