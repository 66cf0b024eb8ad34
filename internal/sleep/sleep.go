// Package sleep sleeps precisely: on a locked OS thread with a timer slack of 1 ns, where Go's timers are about
// 1 ms late (the runtime's poller counts in milliseconds). It never spins.
package sleep

import "time"

// A Thread is the calling goroutine's own OS thread, made for sleeping. Only the goroutine that called Lock may
// Sleep; anybody may Wake it.
type Thread struct {
	state threadState
}

// Lock wires the calling goroutine to its thread until Unlock.
func Lock() *Thread {
	t := &Thread{}
	t.lock()
	return t
}

// Sleep returns after d, or earlier after Wake. A Wake that came before makes it return at once.
func (t *Thread) Sleep(d time.Duration) {
	if d > 0 {
		t.sleep(d)
	}
}
