package doctor

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// readFiles reads what Linux tells in files; elsewhere none of them is there.
func (r *Report) readFiles(root fs.FS) {
	r.CPU.Count, r.CPU.Used = r.Host.CPUs, r.Host.Procs
	r.CPU.Limit, r.CPU.LimitKnown = cgroupLimit(root)
	r.CPU.Governor = governor(root)
	if source := line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"); source != "" {
		r.Clock.Source = &source
	}
	r.Limits = ReadLimits(root)
}

// ReadLimits reads what bounds the number of connections; root holds the files of the machine.
func ReadLimits(root fs.FS) Limits {
	var l Limits
	l.readFiles()
	l.Somaxconn = whole(line(root, "proc/sys/net/core/somaxconn"))
	l.PortReuse = whole(line(root, "proc/sys/net/ipv4/tcp_tw_reuse"))
	if ends := strings.Fields(line(root, "proc/sys/net/ipv4/ip_local_port_range")); len(ends) == 2 {
		l.PortLow, l.PortHigh = whole(ends[0]), whole(ends[1])
	}
	return l
}

// line is a file's first line; "" when it cannot be read.
func line(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

func whole(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// governor is how clock speeds are chosen; nil when no CPU tells.
func governor(root fs.FS) *string {
	names, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor") // the pattern is a good one
	all := ""
	for _, name := range names {
		one := line(root, name)
		switch {
		case one == "" || one == all:
		case all == "":
			all = one
		default:
			all = "mixed"
		}
	}
	if all == "" {
		return nil
	}
	return &all
}

// cgroupLimit is the least number of CPUs that a control group of this process, or one above it, allows; nil without a
// limit. known is false when it cannot be read.
func cgroupLimit(root fs.FS) (least *float64, known bool) {
	own, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil, false
	}
	for entry := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSpace(entry), ":", 3)
		if len(parts) != 3 {
			continue
		}
		limit := limitV2
		mount := "sys/fs/cgroup"
		if parts[0] != "0" {
			if !strings.Contains(","+parts[1]+",", ",cpu,") {
				continue
			}
			limit, mount = limitV1, "sys/fs/cgroup/cpu"
		}
		if _, err := fs.Stat(root, mount); err == nil {
			known = true
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if cpus := limit(root, path.Join(mount, group)); cpus != nil && (least == nil || *cpus < *least) {
				least = cpus
			}
			if group == "/" {
				break
			}
		}
	}
	return least, known
}

// limitV2 reads cpu.max: "50000 100000", or "max 100000" without a limit.
func limitV2(root fs.FS, group string) *float64 {
	f := strings.Fields(line(root, path.Join(group, "cpu.max")))
	if len(f) != 2 {
		return nil
	}
	return share(whole(f[0]), whole(f[1]))
}

// limitV1 reads the quota, which is -1 without a limit, and its period.
func limitV1(root fs.FS, group string) *float64 {
	return share(whole(line(root, path.Join(group, "cpu.cfs_quota_us"))), whole(line(root, path.Join(group, "cpu.cfs_period_us"))))
}

func share(quota, period *int64) *float64 {
	if quota == nil || period == nil || *quota <= 0 || *period <= 0 {
		return nil
	}
	cpus := float64(*quota) / float64(*period)
	return &cpus
}
