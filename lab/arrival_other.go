//go:build !linux

package lab

import (
	"net"
	"time"
)

// stamps is nothing on this system: a call arrives when its handler has it.
type stamps struct{}

func (s *stamps) begin(net.Conn) {}

func askForStamps(net.Listener) {}

func (s *stamps) age() (time.Duration, bool) { return 0, false }
