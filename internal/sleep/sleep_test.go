package sleep

import (
	"testing"
	"time"
)

// A sleep is never too short, and a Wake ends it or the next one.
func TestSleep(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		th := Lock()
		defer th.Unlock()
		for _, d := range []time.Duration{-1, 0, 1, 100 * time.Microsecond, 3 * time.Millisecond} {
			begun := time.Now()
			th.Sleep(d)
			if slept := time.Since(begun); slept < d {
				t.Errorf("slept %v of %v", slept, d)
			}
		}
		th.Wake()
		th.Sleep(time.Hour) // woken before it began
		go th.Wake()
		th.Sleep(time.Hour)
		th.Wake()
		th.Wake() // twice is once
		th.Sleep(time.Hour)
		begun := time.Now()
		th.Sleep(2 * time.Millisecond)
		if slept := time.Since(begun); slept < 2*time.Millisecond {
			t.Errorf("a second Wake was kept: slept %v", slept)
		}
	}()
	<-done
}
