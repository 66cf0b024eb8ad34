package lab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
)

// Ports are taken from below 32768, where the kernel's own client sockets (32768–60999 on Linux) cannot be.
const (
	firstFreePort = 10240
	lastFreePort  = 32767
)

// recentPorts keeps a port from being handed out twice before its first user listens on it.
var recentPorts struct {
	sync.Mutex
	taken map[int]bool
}

// FreePort finds a TCP port of loopback that nobody listens on, below 32768. It is not held: whoever asks must
// listen soon. One process is never given the same port twice until it has had most of them.
func FreePort() (int, error) {
	l, port, err := listenFree("127.0.0.1")
	if err != nil {
		return 0, err
	}
	return port, l.Close()
}

// listenFree listens on a free port of host below 32768.
func listenFree(host string) (net.Listener, int, error) {
	recentPorts.Lock()
	defer recentPorts.Unlock()
	const span = lastFreePort - firstFreePort + 1
	if recentPorts.taken == nil || len(recentPorts.taken) > span/2 {
		recentPorts.taken = map[int]bool{}
	}
	var last error
	for range 2000 {
		port := firstFreePort + rand.IntN(span)
		if recentPorts.taken[port] {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			recentPorts.taken[port] = true
			return l, port, nil
		}
		last = err
		var bad *net.AddrError
		var dns *net.DNSError
		if errors.As(err, &bad) || errors.As(err, &dns) {
			break // the host is at fault, not the port
		}
	}
	return nil, 0, fmt.Errorf("no free port on %s between %d and %d: %w", host, firstFreePort, lastFreePort, reason(last))
}

// reason is what the system said, without the names of the calls that asked it.
func reason(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
