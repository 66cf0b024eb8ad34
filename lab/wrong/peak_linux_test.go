package wrong

import (
	"os"
	"syscall"
)

// peak is the most memory that a process which has ended had resident, in bytes.
func peak(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
