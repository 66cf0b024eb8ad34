package meter

import (
	"bytes"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ReadMachine reads the kernel's counters.
func ReadMachine() Machine {
	var m Machine
	if own, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		m.Throttled = throttled(own, os.ReadFile)
	}
	if raw, err := os.ReadFile("/proc/pressure/cpu"); err == nil {
		m.Pressure = parsePressure(raw)
	}
	if raw, err := os.ReadFile("/proc/net/netstat"); err == nil {
		m.Overflows = parseOverflows(raw)
	}
	m.Suspended = suspended()
	return m
}

// suspended is by how much the clock that goes on while the machine sleeps is ahead of the one that does not. They
// are read one after the other, so that less than 1 ms means nothing; it is told in whole milliseconds.
func suspended() *time.Duration {
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return nil
	}
	d := time.Duration(boot.Nano() - mono.Nano()).Round(time.Millisecond)
	return &d
}

// throttled adds up what the control groups of a process (/proc/PID/cgroup) and all those above them have held back.
// Version 2 tells it in µs, version 1 in ns, each in the cpu.stat of a group that has a limit of its own.
func throttled(own []byte, read func(string) ([]byte, error)) *time.Duration {
	var sum time.Duration
	known := false
	for line := range strings.Lines(string(own)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		if !ok || controllers != "" && !hasCPU(controllers) {
			continue
		}
		for _, file := range statFiles(controllers, group) {
			if raw, err := read(file); err == nil {
				t, told := parseThrottled(raw)
				sum += t
				known = known || told
			}
		}
	}
	if !known {
		return nil
	}
	return &sum
}

func hasCPU(controllers string) bool {
	for name := range strings.SplitSeq(controllers, ",") {
		if name == "cpu" {
			return true
		}
	}
	return false
}

// statFiles are where the counters of a group and of those above it are, where hierarchies are usually mounted. In a
// container the path may be the host's and not be there; its root then is the container's own group.
func statFiles(controllers, group string) []string {
	mounts := []string{"/sys/fs/cgroup"}
	if controllers != "" {
		mounts = []string{"/sys/fs/cgroup/cpu"} // a link to it where it shares its hierarchy
	}
	var files []string
	for _, mount := range mounts {
		for at := path.Clean("/" + group); ; at = path.Dir(at) {
			files = append(files, path.Join(mount, at, "cpu.stat"))
			if at == "/" {
				break
			}
		}
	}
	return files
}

func parseThrottled(raw []byte) (t time.Duration, known bool) {
	for line := range bytes.Lines(raw) {
		f := bytes.Fields(line)
		if len(f) != 2 {
			continue
		}
		switch string(f[0]) {
		case "throttled_usec":
			return time.Duration(number(f[1])) * time.Microsecond, true
		case "throttled_time":
			return time.Duration(number(f[1])), true
		}
	}
	return 0, false
}

// parsePressure reads "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", the total in µs.
func parsePressure(raw []byte) *time.Duration {
	for line := range bytes.Lines(raw) {
		f := bytes.Fields(line)
		if len(f) < 2 || string(f[0]) != "some" {
			continue
		}
		if total, ok := bytes.CutPrefix(f[len(f)-1], []byte("total=")); ok {
			d := time.Duration(number(total)) * time.Microsecond
			return &d
		}
	}
	return nil
}

// parseOverflows finds TcpExt's ListenOverflows: a line of names, then one of numbers.
func parseOverflows(raw []byte) *int64 {
	var names [][]byte
	for line := range bytes.Lines(raw) {
		f := bytes.Fields(line)
		if len(f) == 0 || string(f[0]) != "TcpExt:" {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, name := range names {
			if string(name) == "ListenOverflows" && i < len(f) {
				n := number(f[i])
				return &n
			}
		}
	}
	return nil
}
