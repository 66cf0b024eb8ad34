package load

import (
	"sort"
	"time"

	"wiregauge"
	"wiregauge/hist"
	"wiregauge/result"
)

// conclude ends the turn: what is in flight is abandoned and listed with its age, and all counts come together.
func (e *Engine) conclude(t *turn) result.Turn {
	end := t.clock.Now()
	t.stopped.Store(true)
	s := t.spec
	r := result.Turn{Arm: s.Arm, Launch: s.Launch, Round: s.Round, Place: s.Place, Start: t.begin(),
		OneWay: e.plan.Requests[0].Shape == wiregauge.OneWay}
	r.Partial = t.interrupt.Load()
	after := e.readCosts()
	if t.pulse != nil {
		after.seen = t.pulse.End()
	}
	var c closing
	for _, l := range e.lanes {
		l.mu.Lock()
		l.now = end
		if e.plan.Consume > 0 {
			l.unread()
		}
		l.cutOff(&c)
		l.push()
		l.gather(&c)
		l.mu.Unlock()
	}
	e.turn.Store(nil)
	e.leave(t)
	if t.open != nil {
		e.countOpen(t, &c, end)
	}
	t.window(&c, &r, end)
	if t.closed != nil && t.closed.think.Mean == 0 {
		r.Blocked = blocked(e.lanes, t.begin(), t.begin()+r.Window)
	}
	c.fill(e, t, &r)
	e.meterEnd(t, after, &r)
	e.vitals(t, after, &c, &r)
	r.Limited = c.limited(t, &r)
	return r
}

// closing is what the lanes add up to.
type closing struct {
	warm, main       result.Counts
	inside, finished int64
	classes          []class
	ages, unsentAges hist.Histogram
	lastDone         time.Duration
	lastPermit       time.Duration
	area, beyond     time.Duration // of calls in flight: until the window's end, and after it
	bytes            carried
	born             births
	slow             *result.SlowConsumer
}

// cutOff counts the calls that are not finished, and abandons those in flight.
func (l *lane) cutOff(c *closing) {
	if l.flight.n > 0 {
		l.tally.pauses.ended(l.now)
	}
	for l.flight.n > 0 {
		s := l.flight.head
		k := s.link
		l.unfinished(c, s)
		l.leaveTable(s)
		switch {
		case k.client != nil:
			k.abandon(s)
		case l.e.plan.Drop:
			k.hangUp()
		default:
			k.giveUp(s, byTurnEnd)
			l.free = append(l.free, s)
		}
		k.flight--
		l.flight.remove(s)
	}
	for _, s := range l.again {
		l.unfinished(c, s)
		l.free = append(l.free, s)
	}
	l.again = l.again[:0]
	for l.due.n > 0 {
		tk := l.due.pop()
		if tk.warm {
			l.tally.warm.Unsent++
			continue
		}
		l.tally.main.Unsent++
		c.unsentAges.Record(l.now - tk.due)
	}
}

func (l *lane) unfinished(c *closing, s *slot) {
	l.tally.of(s).Unfinished++
	if !s.warm {
		t := l.e.turn.Load()
		l.tally.log(s, t)
		l.tally.leave(l.now, t.deadline())
		c.ages.Record(l.now - s.Due)
		l.tally.book.late(s.Due, 1)
	}
}

// gather adds the lane's counts up.
func (l *lane) gather(c *closing) {
	a := &l.tally
	a.flush()
	addCounts(&c.warm, a.warm)
	addCounts(&c.main, a.main)
	c.inside += a.inside
	c.finished += a.finished
	c.area += a.area
	c.beyond += a.beyond
	c.lastDone = max(c.lastDone, a.lastDone)
	c.lastPermit = max(c.lastPermit, a.lastPermit)
	if a.marked {
		c.bytes.add(l.carried().plus(l.mark, -1))
	}
	born := l.births()
	c.born.add(born.minus(l.told))
	l.told = born
	c.consumed(l.e, a)
	for _, row := range a.classes {
		c.merge(row)
	}
	a.book = nil
}

func addCounts(a *result.Counts, b result.Counts) {
	a.Due += b.Due
	a.Unsent += b.Unsent
	a.Sent += b.Sent
	a.Resent += b.Resent
	a.OK += b.OK
	a.Failed += b.Failed
	a.TimedOut += b.TimedOut
	a.Unfinished += b.Unfinished
	a.Messages += b.Messages
	a.MessagesInside += b.MessagesInside
	a.LeaseWaits += b.LeaseWaits
	a.LeaseWaited += b.LeaseWaited
}

func (c *closing) merge(row class) {
	for i := range c.classes {
		m := &c.classes[i]
		if m.outcome != row.outcome || m.status != row.status {
			continue
		}
		m.count += row.count
		m.first = min(m.first, row.first)
		m.last = max(m.last, row.last)
		room := min(maxExamples-len(m.examples), len(row.examples))
		m.examples = append(m.examples, row.examples[:room]...)
		return
	}
	row.examples = append([]string(nil), row.examples...)
	c.classes = append(c.classes, row)
}

// countOpen adds the calls of an open loop that were due and never sent.
func (e *Engine) countOpen(t *turn, c *closing, end time.Duration) {
	by := end
	if t.stopAt > 0 {
		by = t.stopAt
	}
	warm, main := t.open.unsent(by, func(tk ticket, n int64) {
		if !tk.warm {
			c.unsentAges.RecordN(end-tk.due, n)
			t.book.late(tk.due, n)
		}
	})
	c.warm.Unsent, c.warm.Due = warm, warm+c.warm.Sent
	c.main.Unsent, c.main.Due = main, main+c.main.Sent
}

// window sets how long was measured: the slice, or until the last call of a turn by number.
func (t *turn) window(c *closing, r *result.Turn, end time.Duration) {
	until := end
	switch {
	case r.Partial:
	case t.stopAt > 0:
		until = t.stopAt
	case c.lastDone > 0:
		until = c.lastDone
	}
	r.Window = max(until-t.begin(), 0)
}

// fill writes the counts, histograms and tables into r.
func (c *closing) fill(e *Engine, t *turn, r *result.Turn) {
	b := t.book
	b.mu.Lock()
	b.close()
	b.mu.Unlock()
	r.Counts, r.CompletedInside, r.FinishedInside = c.main, c.inside, c.finished
	if t.warmCalls > 0 || t.warmTill > 0 {
		warm := c.warm
		r.Warm = &warm
	}
	r.Latency, r.FailedLatency = recorded(&b.latency), recorded(&b.failedLatency)
	r.Service, r.FailedService = recorded(&b.service), recorded(&b.failedService)
	r.FirstByte, r.SlotWait = recorded(&b.firstByte), recorded(&b.slotWait)
	r.Lateness, r.Connect, r.MessageGap = recorded(&b.lateness), recorded(&b.connects), recorded(&b.messageGap)
	r.Slow = c.slow
	r.FirstMessage = recorded(&b.firstMessage)
	r.Dispatched = recorded(&b.dispatched)
	r.Ages, r.UnsentAges = recorded(&c.ages), recorded(&c.unsentAges)
	r.Strips = b.strips
	if b.path != nil {
		b.path.closeUntil(r.Window)
		r.Trajectory = b.path.strips
	}
	r.SentBytes, r.RecvBytes = c.bytes.sentBytes(), c.bytes.receivedBytes()
	r.Connections = c.born.connections()
	r.Connections.Asked = len(e.lanes)
	e.describe(&r.Connections)
	c.tables(&e.plan, r)
}

// describe says what the connections are, once for all that are alike.
func (e *Engine) describe(c *result.Connections) {
	seen := map[string]bool{}
	for _, i := range e.Info() {
		if !seen[i.Address] && len(c.Addrs) < 16 {
			seen[i.Address] = true
			c.Addrs = append(c.Addrs, i.Address)
		}
		c.TLS, c.ALPN = i.TLS, i.ALPN
	}
}

// tables puts the outcomes into words: each status with its count, each kind of failure with its first texts.
func (c *closing) tables(p *Plan, r *result.Turn) {
	sort.Slice(c.classes, func(i, j int) bool { return c.classes[i].count > c.classes[j].count })
	for _, row := range c.classes {
		if answered(row.outcome) {
			r.Statuses = append(r.Statuses, result.Status{
				Status: row.status, Name: p.statusName(row), Count: row.count, OK: row.outcome == wiregauge.OK,
			})
		}
		if row.outcome == wiregauge.OK {
			continue
		}
		r.Errors = append(r.Errors, result.ErrorClass{
			Class: p.className(row), Stage: stage(row.outcome), Count: row.count,
			First: row.first, Last: row.last, Examples: row.examples, Message: firstOf(row.examples),
		})
	}
}

func firstOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

func (p *Plan) className(row class) string {
	if p.Class != nil {
		if name := p.Class(row.outcome, row.status); name != "" {
			return name
		}
	}
	return row.outcome.String()
}

// statusName is the status alone ("200", "OK"), whatever it was taken for.
func (p *Plan) statusName(row class) string {
	if row.outcome != wiregauge.NoStatus {
		row.outcome = wiregauge.Failed
		if name := p.className(row); name != row.outcome.String() {
			return name
		}
		row.outcome = wiregauge.OK
	}
	return p.className(row)
}

// answered reports whether an outcome comes from an answer, which has a status.
func answered(o wiregauge.Outcome) bool {
	return o == wiregauge.OK || o == wiregauge.Failed || o == wiregauge.Unexpected || o == wiregauge.NoStatus
}

// stage is where in a call's life an outcome strikes.
func stage(o wiregauge.Outcome) string {
	switch o {
	case wiregauge.Connect:
		return "connect"
	case wiregauge.Local:
		return "send"
	case wiregauge.Failed, wiregauge.Unexpected, wiregauge.NoStatus, wiregauge.TooLarge:
		return "answer"
	}
	return "read"
}

// limited says why the asked rate was not reached: this client, the most calls in flight, places on connections, or the
// server. Calls that are a little late, or in flight at the end as long as a call takes, are no such case.
func (c *closing) limited(t *turn, r *result.Turn) string {
	if t.open == nil || r.Due == 0 {
		return ""
	}
	behind := r.Unsent*200 >= r.Due || c.overrun(t) > r.Window/20+10*time.Millisecond
	if !behind && !piledUp(r) {
		return ""
	}
	busy := float64(r.Client.Total()) / (float64(max(r.Window, 1)) * max(r.Client.Cores, 1))
	switch {
	case busy > 0.8 || r.Lateness != nil && r.Lateness.Percentile(50) > 5*time.Millisecond:
		return "client"
	case t.open.limited.Load():
		return "inflight"
	case behind:
		return "slots"
	}
	return "server"
}

// overrun is how long after its due time the last call of a turn by number was sent.
func (c *closing) overrun(t *turn) time.Duration {
	o := t.open
	if !o.full.Load() || o.head == 0 {
		return 0
	}
	return c.lastPermit - (o.start + o.pacer.Due(o.head-1))
}

// piledUp reports whether far more calls were in flight at the end than their service time explains.
func piledUp(r *result.Turn) bool {
	if r.Unfinished*50 < r.Due {
		return false
	}
	if r.Service == nil || r.Window == 0 {
		return true
	}
	usual := float64(r.Due) * float64(r.Service.Mean()) / float64(r.Window)
	return float64(r.Unfinished) > 1.5*usual
}
