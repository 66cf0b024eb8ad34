package meter

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of /proc times: USER_HZ, 100 on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// Tree is what process pid and its descendants have used. Memory is their resident sets added up as they are now,
// and the largest sum seen is up to the caller to keep.
func Tree(pid int) (Usage, error) {
	root, err := readStat(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	u := root.usage()
	for _, child := range descendants(pid) {
		if s, err := readStat(child); err == nil {
			c := s.usage()
			u.User += c.User
			u.System += c.System
			u.RSS += c.RSS
		}
	}
	return u, nil
}

// stat is what /proc/PID/stat says of one process.
type stat struct {
	user, system, reaped time.Duration
	rss                  int64
}

func (s stat) usage() Usage {
	return Usage{User: s.user, System: s.system + s.reaped, RSS: s.rss, Known: true}
}

// readStat reads the fields after the command, which may itself hold blanks and brackets (proc(5)).
func readStat(pid int) (stat, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	end := bytes.LastIndexByte(raw, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("cannot read its stat line")
	}
	f := bytes.Fields(raw[end+1:])
	if len(f) < 22 {
		return stat{}, fmt.Errorf("cannot read its stat line: %d fields", len(f))
	}
	s := stat{
		user:   ticks(f[11]),
		system: ticks(f[12]),
		reaped: ticks(f[13]) + ticks(f[14]),
		rss:    number(f[21]) * int64(os.Getpagesize()),
	}
	if exact := cpuClock(pid); exact > 0 { // the split is known to a tick only, the sum to a nanosecond
		s.system = min(s.system, exact)
		s.user = exact - s.system
	}
	return s, nil
}

// cpuClock is the process's CPU time in ns, threads that have ended included (clock_getcpuclockid(3)): its clock's
// number is made of the complement of pid and CPUCLOCK_SCHED.
func cpuClock(pid int) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|2), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func ticks(f []byte) time.Duration { return time.Duration(number(f)) * clockTick }

func number(f []byte) int64 {
	n, _ := strconv.ParseInt(string(f), 10, 64)
	return n
}

// descendants lists the processes below pid, through each thread's list of children.
func descendants(pid int) []int {
	var all []int
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil
	}
	for _, t := range tasks {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		if err != nil {
			continue
		}
		for _, f := range bytes.Fields(raw) {
			child := int(number(f))
			all = append(all, child)
			all = append(all, descendants(child)...)
		}
	}
	return all
}

// Allowed is on how many CPUs process pid may run, 0 when unknown.
func Allowed(pid int) int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil {
		return 0
	}
	return set.Count()
}
