package meter

import "time"

// Machine is what the kernel counts of this machine and of this process's place on it, since some time in the past;
// nil is what cannot be read. Only differences mean anything.
type Machine struct {
	Throttled *time.Duration // CPU time that control groups held back from this process's group and those above it
	Pressure  *time.Duration // some process waited for a CPU
	Suspended *time.Duration // the machine slept
	Overflows *int64         // connections that found no room in a listen queue
}

// Minus is what came between an earlier reading and m; what one of the two does not know is nil.
func (m Machine) Minus(o Machine) Machine {
	return Machine{
		Throttled: minus(m.Throttled, o.Throttled), Pressure: minus(m.Pressure, o.Pressure),
		Suspended: minus(m.Suspended, o.Suspended), Overflows: minus(m.Overflows, o.Overflows),
	}
}

func minus[T ~int64](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	d := max(*a-*b, 0)
	return &d
}
