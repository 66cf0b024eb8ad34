package sleep

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// threadState is the word that the sleeping thread waits on: 1 after a Wake that nobody has seen yet.
type threadState struct {
	word  uint32
	slack uintptr
}

const (
	futexWaitBitset = 9 | 128 // FUTEX_WAIT_BITSET, private
	futexWake       = 1 | 128 // FUTEX_WAKE, private
	anyBit          = 0xffffffff
)

func (t *Thread) lock() {
	runtime.LockOSThread()
	t.state.slack = 50000
	if old, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil {
		t.state.slack = uintptr(old)
	}
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// Unlock gives the thread back.
func (t *Thread) Unlock() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, t.state.slack, 0, 0, 0)
	runtime.UnlockOSThread()
}

// sleep waits on the word until an absolute monotonic time: as precise as clock_nanosleep, and it can be woken.
// syscall.Syscall, never RawSyscall: the scheduler has to know that this thread blocks.
func (t *Thread) sleep(d time.Duration) {
	until := unix.NsecToTimespec(monotonic() + int64(d))
	for {
		if atomic.CompareAndSwapUint32(&t.state.word, 1, 0) {
			return
		}
		_, _, errno := syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&t.state.word)), futexWaitBitset, 0,
			uintptr(unsafe.Pointer(&until)), 0, anyBit)
		if errno == unix.ETIMEDOUT {
			return
		}
	}
}

// Wake ends the current Sleep, or else the next one.
func (t *Thread) Wake() {
	if atomic.SwapUint32(&t.state.word, 1) == 0 {
		_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&t.state.word)), futexWake, 1, 0, 0, 0)
	}
}

func monotonic() int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}
