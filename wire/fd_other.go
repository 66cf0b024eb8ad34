//go:build !unix

package wire

import "errors"

const nonBlocking = false

var errNoFD = errors.New("no descriptors on this system")

func readFD(uintptr, []byte) (int, error)  { return 0, errNoFD }
func writeFD(uintptr, []byte) (int, error) { return 0, errNoFD }
func shutFD(uintptr)                       {}
