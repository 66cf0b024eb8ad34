package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The exit codes; when several apply, strongest says which one is returned.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2 // usage, configuration or schema; nothing was sent
	exitUnreachable = 3 // target not reachable, TLS or protocol mismatch; nothing was measured
	exitAnswer      = 4 // call: the server answered with an error
	exitErrors      = 5 // the error share is above --max-errors
	exitUndecided   = 6 // a gate or a verdict was asked for and cannot be given
	exitFleet       = 7
	exitGate        = 99
	exitInterrupt   = 130
	exitTerminate   = 143
)

// exitOrder is the order in which codes win.
var exitOrder = []int{exitInternal, exitUsage, exitUnreachable, exitInterrupt, exitTerminate, exitFleet, exitUndecided, exitGate, exitErrors}

// strongest is the code that is returned when several apply; codes that are not in the order win over nothing.
func strongest(codes ...int) int {
	for _, first := range exitOrder {
		for _, c := range codes {
			if c == first {
				return c
			}
		}
	}
	for _, c := range codes {
		if c != exitOK {
			return c
		}
	}
	return exitOK
}

// An exitError ends the command with a code: what happened, then where and what to type, one labelled line each.
type exitError struct {
	code  int
	what  string
	hints []hint
	err   error // what it wraps, for errors.Is
	// said means that the words are already on the screen and only the code is left.
	said bool
}

// A hint is one line under an error: "try", "target", "fields".
type hint struct{ label, text string }

func (e *exitError) Error() string { return e.what }
func (e *exitError) Unwrap() error { return e.err }

// with adds a line; empty text adds none.
func (e *exitError) with(label, text string) *exitError {
	if text != "" {
		e.hints = append(e.hints, hint{label, text})
	}
	return e
}

// usage is a mistake of the user: exit 2, nothing was sent.
func usage(format string, args ...any) *exitError { return fail(exitUsage, format, args...) }

// unreachable is a target that cannot be measured: exit 3.
func unreachable(format string, args ...any) *exitError {
	return fail(exitUnreachable, format, args...)
}

// fail ends the command with code. Like fmt.Errorf it keeps what %w wraps.
func fail(code int, format string, args ...any) *exitError {
	err := fmt.Errorf(format, args...)
	return &exitError{code: code, what: err.Error(), err: errors.Unwrap(err)}
}

// quiet ends the command with code and says nothing more. Code 0 is no error.
func quiet(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code, said: true}
}

// later answers for what a later version brings.
func later(what string) *exitError { return usage("%s is not in this version", what) }

// exitCode is the code of a command that ended with err under ctx.
func exitCode(ctx context.Context, err error) int {
	var e *exitError
	code := exitOK
	switch {
	case err == nil:
	case nobodyReads(err):
		return exitPipe
	case errors.As(err, &e):
		code = e.code
	default:
		code = exitInternal
	}
	if i := interruptOf(ctx); i != nil {
		if err != nil && (e == nil || code == exitUnreachable) {
			return i.code() // what failed, failed because it was stopped
		}
		return strongest(code, i.code())
	}
	return code
}

// printError writes err in the one shape of all errors, and how the command ended when that took time.
func printError(w io.Writer, err error, code int, took time.Duration) {
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{code: code, what: err.Error()}
	}
	if e.said || code == exitPipe {
		return
	}
	printHints(w, "error", e)
	if code != exitUsage {
		fmt.Fprintf(w, "exit %d after %.1f s\n", code, took.Seconds())
	}
}

// printHints writes what e says and its lines below.
func printHints(w io.Writer, word string, e *exitError) {
	fmt.Fprintf(w, "%s: %s\n", word, strings.TrimRight(printableText(e.what), "\n"))
	for _, h := range e.hints {
		text := strings.ReplaceAll(strings.TrimRight(printableText(h.text), "\n"), "\n", "\n          ")
		fmt.Fprintf(w, "  %-7s %s\n", h.label, text)
	}
}

// says reports whether e has a line of that label.
func (e *exitError) says(label string) bool {
	return slices.ContainsFunc(e.hints, func(h hint) bool { return h.label == label })
}
