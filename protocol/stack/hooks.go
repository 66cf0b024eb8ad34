package stack

import (
	"sync"

	"wiregauge"
)

// Hooks passes what a library tells of one call on to the call's lane. Libraries may still tell of a call when it has
// returned and its lane uses the Call for another one; nothing is passed on after Done. Each event fires once.
type Hooks struct {
	mu          sync.Mutex
	call        *wiregauge.Call
	ev          wiregauge.Events
	sent, first bool
}

// NewHooks are those of one call.
func NewHooks(c *wiregauge.Call, ev wiregauge.Events) *Hooks { return &Hooks{call: c, ev: ev} }

// Sent says that the request has been written.
func (h *Hooks) Sent() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.call != nil && !h.sent {
		h.sent = true
		h.ev.Sent(h.call)
	}
}

// First says that the answer has begun.
func (h *Hooks) First() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.call != nil && !h.first {
		h.first = true
		h.ev.First(h.call)
	}
}

// Done ends the call.
func (h *Hooks) Done() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.call = nil
}
