package meter

import (
	"os"
	"testing"
	"time"
)

func TestThrottled(t *testing.T) {
	const v2 = "usage_usec 900\nnr_periods 10\nnr_throttled 4\nthrottled_usec 1500\n"
	const v1 = "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000\n"
	for _, row := range []struct {
		name, own string
		files     map[string]string
		want      time.Duration // -1: unknown
	}{
		{"version 2", "0::/a/b\n", map[string]string{"/sys/fs/cgroup/a/b/cpu.stat": v2}, 1500 * time.Microsecond},
		{"groups above hold back too", "0::/a/b\n", map[string]string{
			"/sys/fs/cgroup/a/b/cpu.stat": v2, "/sys/fs/cgroup/a/cpu.stat": v2, "/sys/fs/cgroup/cpu.stat": "usage_usec 1\n",
		}, 3000 * time.Microsecond},
		{"version 1", "3:cpu,cpuacct:/x\n2:memory:/y\n", map[string]string{"/sys/fs/cgroup/cpu/x/cpu.stat": v1}, 2500 * time.Microsecond},
		{"in a container the path is the host's", "0::/host/path\n", map[string]string{"/sys/fs/cgroup/cpu.stat": v2}, 1500 * time.Microsecond},
		{"no controller of CPU time", "0::/a\n", map[string]string{"/sys/fs/cgroup/a/cpu.stat": "usage_usec 1\n"}, -1},
		{"cpuset is another controller", "3:cpuset:/x\n", map[string]string{"/sys/fs/cgroup/cpu/x/cpu.stat": v1}, -1},
		{"no file can be read", "0::/a\n", nil, -1},
		{"nothing is known of the process", "", nil, -1},
	} {
		read := func(name string) ([]byte, error) {
			if text, ok := row.files[name]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}
		got := throttled([]byte(row.own), read)
		if got == nil && row.want != -1 || got != nil && *got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestParsePressure(t *testing.T) {
	d := parsePressure([]byte("some avg10=1.53 avg60=0.87 avg300=0.44 total=7142\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n"))
	if d == nil || *d != 7142*time.Microsecond {
		t.Errorf("%v", d)
	}
	for _, text := range []string{"", "some\n", "full avg10=0 total=3\n", "some avg10=0.00 avg60=0.00\n"} {
		if d := parsePressure([]byte(text)); d != nil {
			t.Errorf("%q is read as %v", text, *d)
		}
	}
}

func TestParseOverflows(t *testing.T) {
	n := parseOverflows([]byte("TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 7 9\nIpExt: A\nIpExt: 3\n"))
	if n == nil || *n != 7 {
		t.Errorf("%v", n)
	}
	for _, text := range []string{"", "TcpExt: ListenOverflows\n", "TcpExt: A B\nTcpExt: 1 2\n", "TcpExt: A ListenOverflows\nTcpExt: 1\n"} {
		if n := parseOverflows([]byte(text)); n != nil {
			t.Errorf("%q is read as %d", text, *n)
		}
	}
}

func TestMachineMinus(t *testing.T) {
	d := func(n time.Duration) *time.Duration { return &n }
	was, is := Machine{Throttled: d(5), Pressure: d(9)}, Machine{Throttled: d(8), Suspended: d(2), Pressure: d(7)}
	got := is.Minus(was)
	if got.Throttled == nil || *got.Throttled != 3 || got.Suspended != nil || got.Overflows != nil || got.Pressure == nil || *got.Pressure != 0 {
		t.Errorf("%+v", got)
	}
}

// This machine has clocks; the rest depends on its kernel.
func TestReadMachine(t *testing.T) {
	if m := ReadMachine(); m.Suspended == nil {
		t.Errorf("%+v", m)
	}
}
