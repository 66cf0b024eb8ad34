package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"wiregauge/report"
	"wiregauge/result"
)

// exitPipe is what shells show of a program whose reader went away, as in `wiregauge list | head -1`.
const exitPipe = 128 + int(syscall.SIGPIPE)

// surviveClosedPipes lets a write to a closed pipe fail instead of ending the process: a run whose progress nobody
// reads any more still writes its files. Children get the system's behaviour.
func surviveClosedPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// nobodyReads reports whether err is that the reader of standard output has gone.
func nobodyReads(err error) bool {
	var path *os.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == os.Stdout.Name()
}

// writeAll tells results everywhere they were asked for. A reader of standard output who has gone is no fault: it
// shows in the exit code when nothing else does.
func (a *app) writeAll(outs []report.Output, files []*result.File, opt report.Options) error {
	err := report.WriteAll(outs, a.stdout, files, opt)
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var faults []error
	for _, e := range list.Unwrap() {
		if nobodyReads(e) {
			a.unread = true
			continue
		}
		faults = append(faults, e)
	}
	return errors.Join(faults...)
}
