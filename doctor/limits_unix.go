//go:build unix

package doctor

import "syscall"

// readFiles reads how many files and connections this process may have open.
func (l *Limits) readFiles() {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return
	}
	soft, hard := uint64(r.Cur), uint64(r.Max)
	l.OpenFiles, l.OpenFilesHard = &soft, &hard
}
