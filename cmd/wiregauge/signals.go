package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// An interrupted context ended because of a signal; its cause says which.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string { return "stopped by " + i.signal.String() }

// code is what shells expect of a program that ended by this signal.
func (i interrupted) code() int { return 128 + int(i.signal) }

// interruptOf is the signal that ended ctx, nil when it lives on or ended otherwise.
func interruptOf(ctx context.Context) *interrupted {
	var i interrupted
	if errors.As(context.Cause(ctx), &i) {
		return &i
	}
	return nil
}

// withSignals ends the context at the first SIGINT or SIGTERM, so that what was measured is printed and saved,
// and the process at the second one.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	arrived := make(chan os.Signal, 2)
	signal.Notify(arrived, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		first, ok := <-arrived
		if !ok {
			return
		}
		cancel(interrupted{first.(syscall.Signal)})
		if second, ok := <-arrived; ok {
			os.Exit(interrupted{second.(syscall.Signal)}.code())
		}
	}()
	return ctx, func() {
		signal.Stop(arrived)
		close(arrived)
		cancel(nil)
	}
}
