//go:build !unix

package main

// noSuchProcess cannot be told here.
func noSuchProcess(int) bool { return false }

// mostOpenFiles is not known here.
func mostOpenFiles() (limit uint64, known bool) { return 0, false }
