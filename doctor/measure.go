package doctor

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/cpu"

	"wiregauge/hist"
	"wiregauge/internal/sleep"
	"wiregauge/meter"
)

// How timers and encryption are measured.
const (
	sleeps  = 200 // the least with which p95 has ten values beyond it
	asked   = time.Millisecond
	sealFor = 20 * time.Millisecond
	record  = 16 << 10 // the largest record of TLS
)

func (r *Report) readClock() {
	if ns := int64(meter.ClockRead()); ns > 0 {
		r.Clock.Read = &ns
	}
}

// readTimers sleeps in turns on a thread of ours and as Go does, so that both see the same machine.
func (r *Report) readTimers(ctx context.Context) {
	ours, gos := new(hist.Histogram), new(hist.Histogram)
	done := make(chan struct{})
	go func() {
		defer close(done)
		thread := sleep.Lock()
		defer thread.Unlock()
		for range sleeps {
			if ctx.Err() != nil {
				return
			}
			ours.Record(late(thread.Sleep))
			gos.Record(late(time.Sleep))
		}
	}()
	<-done
	if ctx.Err() != nil {
		return
	}
	told := func(h *hist.Histogram, p float64) *int64 {
		ns := int64(h.Percentile(p))
		return &ns
	}
	r.Timers = Timers{sleeps, told(ours, 50), told(ours, 95), told(gos, 50), told(gos, 95)}
}

// late is by how much a sleep was longer than it should have been.
func late(sleep func(time.Duration)) time.Duration {
	began := time.Now()
	sleep(asked)
	return max(0, time.Since(began)-asked)
}

// readTLS looks for instructions and encrypts for a moment.
func (r *Report) readTLS() {
	var has bool
	switch runtime.GOARCH {
	case "amd64":
		has = cpu.X86.HasAES && cpu.X86.HasPCLMULQDQ
		r.TLS.AES = &has
	case "arm64":
		has = cpu.ARM64.HasAES && cpu.ARM64.HasPMULL
		r.TLS.AES = &has
	}
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		return
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return
	}
	nonce, plain, sealed := make([]byte, gcm.NonceSize()), make([]byte, record), make([]byte, 0, record+gcm.Overhead())
	bytes, began := 0, time.Now()
	for time.Since(began) < sealFor {
		sealed = gcm.Seal(sealed[:0], nonce, plain, nil)
		bytes += len(plain)
	}
	speed := float64(bytes) / time.Since(began).Seconds()
	r.TLS.Speed = &speed
}

// readLoopback makes one connection to this machine itself, which demo and serve need, and every client some of.
func (r *Report) readLoopback() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Loopback = err.Error()
		return
	}
	defer l.Close()
	conn, err := net.DialTimeout("tcp", l.Addr().String(), 2*time.Second)
	if err != nil {
		r.Loopback = err.Error()
		return
	}
	conn.Close()
}
