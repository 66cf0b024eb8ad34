//go:build !unix

package doctor

// readFiles is unknown on this system.
func (l *Limits) readFiles() {}
