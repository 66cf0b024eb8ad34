package load

import (
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"wiregauge/meter"
)

// A farEnd answers connections over loopback from memory, each on a thread of its own, so that what it costs can be
// told from what the client does.
type farEnd struct {
	listener net.Listener
	far      func() func(out, in []byte) []byte
	wg       sync.WaitGroup
	used     atomic.Int64 // ns of CPU

	mu    sync.Mutex
	files []*os.File // of the connections; Fd makes them blocking
}

func listenFar(far func() func(out, in []byte) []byte) (*farEnd, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &farEnd{listener: l, far: far}
	f.wg.Go(f.accept)
	return f, nil
}

func (f *farEnd) address() string { return f.listener.Addr().String() }

// close ends all connections, which the client has closed, and tells what they cost. An end may still be writing into
// a full window: the kernel would take seconds to find out that nobody reads.
func (f *farEnd) close() time.Duration {
	_ = f.listener.Close()
	f.mu.Lock()
	files := f.files
	f.files = nil
	f.mu.Unlock()
	for _, file := range files {
		shut(file.Fd())
	}
	f.wg.Wait()
	for _, file := range files {
		_ = file.Close()
	}
	return time.Duration(f.used.Load())
}

func (f *farEnd) accept() {
	for {
		c, err := f.listener.Accept()
		if err != nil {
			return
		}
		file, err := c.(*net.TCPConn).File()
		_ = c.Close()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.files = append(f.files, file)
		f.mu.Unlock()
		f.wg.Go(func() { f.serve(file.Fd()) })
	}
}

// serve reads with blocking calls: a goroutine that waited in the runtime's poller would be woken at the client's cost.
func (f *farEnd) serve(fd uintptr) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, _ := meter.Thread()
	defer func() {
		now, _ := meter.Thread()
		f.used.Add(int64(now - began))
	}()
	answer := f.far()
	in := make([]byte, 64<<10)
	var out []byte
	for {
		n, err := readBlocking(fd, in)
		if n <= 0 || err != nil {
			return
		}
		out = answer(out[:0], in[:n])
		for rest := out; len(rest) > 0; {
			n, err := writeBlocking(fd, rest)
			if n <= 0 || err != nil {
				return
			}
			rest = rest[n:]
		}
	}
}
