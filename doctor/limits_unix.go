//go:build unix

package doctor

import "syscall"

// readLimits reads how many files and connections this process may have open.
func (r *Report) readLimits() {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return
	}
	soft, hard := uint64(l.Cur), uint64(l.Max)
	r.Limits.OpenFiles, r.Limits.OpenFilesHard = &soft, &hard
}
