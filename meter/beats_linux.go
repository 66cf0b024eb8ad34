package meter

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// beats is a timer of the kernel that is due again and again, on time whoever waits for it, and waited for as sockets
// are (timerfd_create(2)).
type beats struct {
	file  *os.File
	epoch int64 // ns on the monotonic clock; the first beat is an interval later
	buf   [8]byte
}

// newBeats starts a timer; nil when the kernel gives none.
func newBeats(interval time.Duration) *beats {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	b := &beats{file: os.NewFile(uintptr(fd), "timer"), epoch: monotonic()}
	spec := unix.ItimerSpec{
		Interval: unix.NsecToTimespec(int64(interval)),
		Value:    unix.NsecToTimespec(b.epoch + int64(interval)),
	}
	if unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME, &spec, nil) != nil {
		b.stop()
		return nil
	}
	return b
}

// now is the time since the timer was started.
func (b *beats) now() time.Duration { return time.Duration(monotonic() - b.epoch) }

// wait returns true after the next beat, or at once when one was missed, and false after stop.
func (b *beats) wait() bool {
	_, err := b.file.Read(b.buf[:])
	return err == nil
}

func (b *beats) stop() { _ = b.file.Close() }

func monotonic() int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}
