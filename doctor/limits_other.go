//go:build !unix

package doctor

// readLimits is unknown on this system.
func (r *Report) readLimits() {}
