package meter

import (
	"bytes"
	"os"
	"time"
)

// Host is the CPU time of all CPUs together since the machine began.
type Host struct {
	Busy, Steal, All time.Duration
	Known            bool
}

// ReadHost reads the first line of /proc/stat: user nice system idle iowait irq softirq steal.
func ReadHost() Host {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Host{}
	}
	return parseHost(raw)
}

func parseHost(raw []byte) Host {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 9 || string(f[0]) != "cpu" {
		return Host{}
	}
	h := Host{Known: true}
	for i := 1; i <= 8; i++ {
		t := ticks(f[i])
		h.All += t
		switch i {
		case 4, 5: // idle, iowait
		case 8:
			h.Steal = t
		default:
			h.Busy += t
		}
	}
	return h
}
