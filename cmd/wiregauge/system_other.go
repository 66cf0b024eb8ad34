//go:build !unix

package main

import "os/exec"

// noSuchProcess cannot be told here.
func noSuchProcess(int) bool { return false }

// mostOpenFiles is not known here.
func mostOpenFiles() (limit uint64, known bool) { return 0, false }

// endWhole can do nothing here: what a command has started is its own affair.
func endWhole(*exec.Cmd) {}
