// Package doctor looks at this machine before anybody trusts a number from it: how precisely it sleeps and reads the
// clock, which limits it has, what else it is doing, and how many calls a second it could send.
//
// It changes nothing and calls nobody. What a system does not tell is unknown: a nil field, null in JSON, and never a
// number or "ok". Reading and judging are apart: Examine reads, Judge is a pure function of what was read. Start
// reading at Report.
package doctor

import (
	"context"
	"io/fs"
	"os"
	"time"

	"wiregauge/meter"
	"wiregauge/result"
)

// Schema names the format of a Report as JSON.
const Schema = "wiregauge.doctor/v1"

// A Report is what was found. Times are in ns, shares 0 to 1.
type Report struct {
	Schema   string      `json:"schema"`
	Created  time.Time   `json:"created"`
	Tool     result.Tool `json:"tool"`
	Host     result.Host `json:"host"`
	Verdict  string      `json:"verdict"` // one sentence
	Ready    bool        `json:"ready"`   // false when something prevents measuring
	CPU      CPU         `json:"cpu"`
	Clock    Clock       `json:"clock"`
	Timers   Timers      `json:"timers"`
	Limits   Limits      `json:"limits"`
	Load     Load        `json:"load"`
	TLS      TLS         `json:"tls"`
	Loopback string      `json:"loopback_error,omitempty"` // why a connection to this machine itself cannot be made
	Ceilings []Ceiling   `json:"ceilings"`
	Findings []Finding   `json:"findings"`
}

// CPU is what may be used of it.
type CPU struct {
	Count int      `json:"count"`        // that this process may run on
	Used  int      `json:"gomaxprocs"`   // by Go code at once
	Limit *float64 `json:"cgroup_limit"` // CPUs that control groups allow; null without a limit
	// LimitKnown is false where limits cannot be read.
	LimitKnown bool    `json:"cgroup_limit_known"`
	Governor   *string `json:"governor"` // of clock speed; "mixed" when not all CPUs have the same
}

// Clock is what times are read from.
type Clock struct {
	Source *string `json:"source"`  // "tsc"
	Read   *int64  `json:"read_ns"` // what one reading takes
}

// Timers tell how late a thread wakes that asked for 1 ms: ours, and Go's own beside it.
type Timers struct {
	Sleeps   int    `json:"sleeps"` // of each kind
	P50      *int64 `json:"late_p50_ns"`
	P95      *int64 `json:"late_p95_ns"`
	SleepP50 *int64 `json:"time_sleep_late_p50_ns"`
	SleepP95 *int64 `json:"time_sleep_late_p95_ns"`
}

// Limits bound how many connections there can be.
type Limits struct {
	OpenFiles     *uint64 `json:"open_files"`
	OpenFilesHard *uint64 `json:"open_files_hard"` // up to which the limit can be raised
	PortLow       *int64  `json:"port_low"`        // the ports that connections are given
	PortHigh      *int64  `json:"port_high"`
	PortReuse     *int64  `json:"tcp_tw_reuse"` // whether a port is used again after a second: 0 never, 1 always, 2 on loopback
	Somaxconn     *int64  `json:"somaxconn"`    // connections that may wait for a server here to accept them
}

// Ports is how many connections there can be to one address and port; 0 when that is unknown.
func (l *Limits) Ports() int64 {
	if l.PortLow == nil || l.PortHigh == nil || *l.PortHigh < *l.PortLow {
		return 0
	}
	return *l.PortHigh - *l.PortLow + 1
}

// PortRest is how long a port rests after a connection that this side closed (TIME_WAIT, RFC 9293, section 3.6.1): a
// minute on Linux, a second where it may be used again early; 0 when that is unknown.
func (l *Limits) PortRest(loopback bool) time.Duration {
	switch {
	case l.PortReuse == nil:
		return 0
	case *l.PortReuse == 1 || *l.PortReuse == 2 && loopback:
		return time.Second
	}
	return time.Minute
}

// Load is what else the machine did while it was looked at.
type Load struct {
	Watched int64    `json:"watched_ns"`
	Steal   *float64 `json:"steal_share"`   // time that the host gave to others
	Foreign *float64 `json:"foreign_share"` // time that other processes took
}

// TLS is what encrypting costs.
type TLS struct {
	AES   *bool    `json:"aes_instructions"` // whether the processor has instructions for AES-GCM
	Speed *float64 `json:"aes_bytes_per_second"`
}

// A Ceiling is how many calls a second this client could make of a protocol with all its CPUs, with answers from
// memory: no server and no network can make it more.
type Ceiling struct {
	Protocol string   `json:"protocol"`
	Load     string   `json:"load,omitempty"` // "2 connections x 50" calls in flight on each
	Rate     *float64 `json:"calls_per_second"`
	Why      string   `json:"unknown,omitempty"` // why there is none
}

// A Finding is one thing that was looked at, in words.
type Finding struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

// State is how good a finding is.
type State string

// The states. A note is worth knowing; Bad spoils numbers; Stop prevents measuring.
const (
	OK      State = "ok"
	Note    State = "note"
	Bad     State = "bad"
	Stop    State = "stop"
	Unknown State = "unknown"
)

// Options say where to look.
type Options struct {
	Root     fs.FS                           // nil: the files of this machine
	Ceilings func(context.Context) []Ceiling // nil: none are measured
}

// Examine looks at this machine, for about a second and as long as ceilings take, and judges it.
func Examine(ctx context.Context, o Options) *Report {
	if o.Root == nil {
		o.Root = os.DirFS("/")
	}
	own := result.NewFile("run") // for what it knows of program and machine
	r := &Report{Schema: Schema, Created: own.Created, Tool: own.Tool, Host: own.Host, Ceilings: []Ceiling{}}
	began, before, used := time.Now(), meter.ReadHost(), meter.Own()
	r.readFiles(o.Root)
	r.readClock()
	r.readTimers(ctx)
	r.readTLS()
	r.readLoopback()
	if o.Ceilings != nil {
		r.Ceilings = append(r.Ceilings, o.Ceilings(ctx)...)
	}
	r.readLoad(ctx, began, before, used)
	Judge(r)
	return r
}

// watchFor is the least time that others are watched: the kernel counts in hundredths of a second.
const watchFor = time.Second

// readLoad is what others did since the beginning.
func (r *Report) readLoad(ctx context.Context, began time.Time, before meter.Host, used meter.Usage) {
	select {
	case <-time.After(watchFor - time.Since(began)):
	case <-ctx.Done():
	}
	steal, foreign := meter.Shares(before, meter.ReadHost(), meter.Own().Total()-used.Total())
	r.Load.Watched = int64(time.Since(began))
	if steal >= 0 {
		r.Load.Steal = &steal
	}
	if foreign >= 0 {
		r.Load.Foreign = &foreign
	}
}
