//go:build !unix

package load

import "errors"

var errNoFD = errors.New("no descriptors on this system")

func shut(uintptr) {}

func readBlocking(uintptr, []byte) (int, error)  { return 0, errNoFD }
func writeBlocking(uintptr, []byte) (int, error) { return 0, errNoFD }
