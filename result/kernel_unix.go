//go:build unix

package result

import "golang.org/x/sys/unix"

// kernel is the release of the system's kernel.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
