package stack_test

import (
	"testing"

	"wiregauge"
	"wiregauge/protocol/stack"
)

// A library that tells of a call once more, or too late, changes nothing: the Call belongs to another request by then.
func TestHooks(t *testing.T) {
	ev := &told{}
	h := stack.NewHooks(&wiregauge.Call{}, ev)
	h.Sent()
	h.Sent()
	h.Done()
	h.First()
	if ev.sent != 1 || ev.first != 0 {
		t.Errorf("sent fired %d times, first %d times; want once and never", ev.sent, ev.first)
	}
}
