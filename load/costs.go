package load

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"wiregauge/meter"
	"wiregauge/result"
)

// costs is what had been spent at one moment.
type costs struct {
	at        time.Duration
	own       meter.Usage
	server    meter.Usage
	hasServer bool
	host      meter.Host
	gcs       int64
	gcCPU     time.Duration
	machine   meter.Machine
	seen      meter.Seen // at the end only
	retries   int64
	// retransmits is nil when it cannot be read.
	retransmits *int64
}

func (e *Engine) readCosts() costs {
	c := costs{at: e.clock.Now(), own: meter.Own(), host: meter.ReadHost(), gcs: meter.GCs(), gcCPU: meter.GCCPU(),
		machine: meter.ReadMachine(), retries: e.retries(), retransmits: e.retransmits()}
	if e.plan.ServerPID > 0 {
		u, err := meter.Tree(e.plan.ServerPID)
		c.server, c.hasServer = u, err == nil
	}
	return c
}

// meterStart reads the costs at the start of the measured window.
func (e *Engine) meterStart(t *turn) {
	t.before = e.readCosts()
	if t.pulse != nil {
		t.pulse.Begin()
	}
	t.peak.Store(max(t.peak.Load(), t.before.server.RSS))
}

// meterEnd fills in what the window has cost.
func (e *Engine) meterEnd(t *turn, after costs, r *result.Turn) {
	b := t.before
	r.Client = result.CPU{
		User:   after.own.User - b.own.User,
		System: after.own.System - b.own.System,
		Cores:  meter.Cores(),
		RSS:    after.own.RSS,
		GCs:    after.gcs - b.gcs,
	}
	ours := r.Client.Total()
	if b.hasServer && after.hasServer {
		r.Server = &result.CPU{
			User:   after.server.User - b.server.User,
			System: after.server.System - b.server.System,
			Cores:  float64(meter.Allowed(e.plan.ServerPID)),
			RSS:    max(t.peak.Load(), after.server.RSS),
		}
		ours += r.Server.Total()
	}
	r.Host.Steal, r.Host.Foreign = meter.Shares(b.host, after.host, ours)
	r.HiddenTries = after.retries - b.retries
}

// watch keeps the largest memory of the server, away from the thread that sends. It ends with the returned function.
func (e *Engine) watch(t *turn) (end func()) {
	if e.plan.ServerPID <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(e.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if u, err := meter.Tree(e.plan.ServerPID); err == nil {
				t.peak.Store(max(t.peak.Load(), u.RSS))
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// The collector is the process's own, so that turns of several engines share one setting.
var quieter struct {
	mu    sync.Mutex
	turns int
	gogc  int
	limit int64
}

// quiet collects garbage now and keeps the collector from running until the returned function is called, unless memory
// grows by more than a turn should: 64 MiB and 256 KiB a connection, or 512 MiB for stack clients, which allocate for
// each call.
func quiet(p *Plan) (restore func()) {
	q := &quieter
	runtime.GC()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.turns++; q.turns == 1 {
		spare := int64(64<<20 + p.Connections*256<<10)
		if p.NewClient != nil {
			spare = 512 << 20
		}
		q.gogc = debug.SetGCPercent(-1)
		q.limit = debug.SetMemoryLimit(math.MaxInt64)
		debug.SetMemoryLimit(min(q.limit, inUse()+spare))
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.turns--; q.turns == 0 {
			debug.SetMemoryLimit(q.limit)
			debug.SetGCPercent(q.gogc)
		}
	}
}

// inUse is what SetMemoryLimit counts: memory mapped by the runtime and not given back.
func inUse() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
