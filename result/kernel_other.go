//go:build !unix

package result

// kernel is not known here.
func kernel() string { return "" }
