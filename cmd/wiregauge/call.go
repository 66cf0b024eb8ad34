package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/spf13/cobra"

	"wiregauge"
	"wiregauge/internal/option"
	"wiregauge/wire"
)

// callOptions are the flags of call, under the headings of its help.
type callOptions struct {
	DataOptions   `group:"Request"`
	ConnOptions   `group:"Connection"`
	AnswerOptions `group:"Answer"`
	NoticeOptions `group:"Output"`
}

// AnswerOptions say how long call waits and what it makes of the answer.
type AnswerOptions struct {
	Timeout      time.Duration `flag:"timeout,t" alias:"max-time" value:"TIME" bare:"s" min:"0" help:"for the whole call; a bare number is seconds; 20s when nothing is said, none on streams"`
	Take         int           `flag:"take" value:"N" min:"1" help:"end a stream after N messages: success, not an error; over HTTP a message is a line of the answer, or an event"`
	EmitDefaults bool          `flag:"emit-defaults" help:"show fields that have no value with their default"`
	Output       string        `flag:"output,o" value:"FILE" help:"save the body instead of printing it; - is standard output"`
	Include      bool          `flag:"include,i" help:"print the status and the headers of the answer before its body"`
	ExitStatus   bool          `flag:"exit-status" help:"exit with 64 + the gRPC code when the server answers with an error"`
}

// callTimeout bounds a call that is no stream.
const callTimeout = 20 * time.Second

func (a *app) callCommand() *cobra.Command {
	o := &callOptions{}
	cmd := &cobra.Command{
		Use: "call [flags] URL | call [flags] HOST:PORT package.Service/Method", Short: "one call over any protocol; the answer on standard output",
		Long: "Make one call and print the answer as JSON. -v tells on standard error how long it took and what it cost,\n" +
			"-vv every header and frame. Several JSON objects on the standard input (-d @-) are sent one by one, as they\n" +
			"come, on a client or bidirectional stream.",
		Example: `  wiregauge call http://localhost:8080/v1/stock/42 -H 'Accept: application/json'
  wiregauge call grpc://localhost:50051/inv.v1.Inventory/Check -d '{"sku":"42"}' -v
  wiregauge call grpc://localhost:50051/inv.v1.Inventory/Watch -d '{"sku":"42"}' --take 3
  wiregauge call localhost:50051 inv.v1.Inventory/Check -d @item.json`,
	}
	set := a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		k := &oneCall{app: a, o: o, set: set}
		return k.do(cmd.Context(), args)
	}
	return cmd
}

// oneCall is one call on its way from flags to an answer.
type oneCall struct {
	app     *app
	o       *callOptions
	set     *option.Set
	target  *prepared
	sent    *payload
	request *wiregauge.Request
	call    wiregauge.Call
	in      *inbox // messages that have come and are not printed yet
	out     *sink
	took    phases
	printed int
	taken   bool // ended by us after --take messages
}

// do is the command: everything that can be wrong is found before anything is sent.
func (k *oneCall) do(ctx context.Context, args []string) error {
	url, err := k.app.callURL(ctx, k.o, args)
	if err != nil {
		return err
	}
	if k.out, err = openSink(k.o.Output, k.app.stdout); err != nil {
		return err
	}
	defer k.out.discard()
	k.o.live, k.o.stream = true, k.o.Take > 0
	if k.target, k.sent, err = k.app.prepare(ctx, url, &k.o.ConnOptions, &k.o.DataOptions, k.o.Timeout); err != nil {
		return err
	}
	if n := len(k.sent.Requests); n != 1 {
		return usage("a %s call takes one message, and the data holds %d; `wiregauge run` sends them in turn", k.sent.Requests[0].Shape, n)
	}
	if err := checkTake(k.o.Take, k.target, k.sent); err != nil {
		return err
	}
	if k.sent.Live != nil && k.target.Client == "stack" {
		return usage("--client stack sends a stream as a whole, not message by message as they come on the standard input").
			with("try", "--client wire").with("or", "-d @FILE, all messages at once")
	}
	k.ready()
	k.announce()
	if k.target.Client == "stack" {
		err = k.overStack(ctx)
	} else {
		err = k.overWire(ctx)
	}
	if err == nil && k.lacksLease() {
		err = k.withLease(ctx)
	}
	if err != nil {
		return err
	}
	return k.finish(ctx)
}

// credit is how many messages of a stream may wait to be printed.
const credit = 32

// credit is how many messages a stream may be ahead. On RSocket no more are asked for than are wanted.
func (k *oneCall) credit() int {
	n := cmp.Or(k.o.LimitRate, credit)
	if isRSocket(k.target.Protocol) && k.o.Take > 0 {
		return min(n, k.o.Take)
	}
	return n
}

// granter lets the server send more: one message for each that is printed, or under --limit-rate three quarters of it
// at a time, as Reactor does.
func (k *oneCall) granter(x *wire.Exchange) func() {
	batch, printed, asked := 1, 0, k.request.Credit
	if k.o.LimitRate > 0 {
		batch = (3*k.request.Credit + 3) / 4
	}
	most := math.MaxInt
	if isRSocket(k.target.Protocol) && k.o.Take > 0 {
		most = k.o.Take
	}
	return func() {
		printed++
		if n := min(printed, most-asked); printed == batch && n > 0 {
			x.Grant(&k.call, n)
			printed, asked = 0, asked+n
		}
	}
}

// ready sets up the request and the call.
func (k *oneCall) ready() {
	r := *k.sent.Requests[0]
	k.request = &r
	r.Keep = true
	if r.Shape.StreamsIn() {
		r.Credit = k.credit()
	}
	r.Open = k.sent.Live != nil
	k.call.Reset(&r)
	k.call.Explain, k.call.Detail = true, &wiregauge.Detail{}
	k.in = newInbox()
}

// limit bounds the call by --timeout, or by what a call that is no stream gets.
func (k *oneCall) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := k.timeout()
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

func (k *oneCall) timeout() time.Duration {
	if k.set.Lookup("timeout").Given() || k.request.Shape != wiregauge.Unary {
		return k.o.Timeout
	}
	return callTimeout
}

// overWire makes the call with our own client.
func (k *oneCall) overWire(ctx context.Context) error {
	begin := time.Now()
	conn, err := k.target.Dialer.Dial(ctx)
	if err != nil {
		return k.app.explainDial(ctx, k.target, err)
	}
	k.took.info = conn.Info()
	hello, cancel := context.WithTimeout(ctx, k.o.ConnectTimeout)
	x, err := wire.NewExchange(hello, conn, k.target.session)
	cancel()
	if err != nil {
		return k.app.explainDial(ctx, k.target, err)
	}
	defer x.Close()
	k.took.before = time.Since(begin)
	ctx, cancel = k.limit(ctx)
	defer cancel()
	if err := x.Start(ctx, &k.call, k.handler()); err != nil && k.call.Outcome == wiregauge.Local {
		return usage("%w", err)
	} else if err != nil {
		return k.app.explainDial(ctx, k.target, err)
	}
	failed := make(chan error, 1)
	go k.feed(x, failed)
	go func() {
		_ = x.Wait(ctx, &k.call)
		k.in.close()
	}()
	if err := k.print(k.granter(x), func() { x.Cancel(&k.call) }); err != nil {
		return err
	}
	k.took.sent, k.took.received, k.took.tlsSent, k.took.tlsReceived = x.Traffic()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// handler takes what comes back, and with -vv the frames.
func (k *oneCall) handler() wire.Handler {
	h := wire.Handler{Message: k.in.add}
	if k.request.Credit > 0 && k.target.Protocol.Name == "http1" {
		h.Rest = k.in.wait // HTTP/1.1 holds a server back by not reading
	}
	if k.o.Verbose >= 2 && k.target.Protocol.Explain != nil {
		e := k.target.Protocol.Explain()
		h.Bytes = func(p []byte, sent bool) { e.Explain(p, sent, func(line string) { k.frame(line, sent) }) }
	}
	return h
}

// overStack makes the call with the library a Go service would use.
func (k *oneCall) overStack(ctx context.Context) error {
	client, err := k.target.stack()
	if err != nil {
		return k.app.explainDial(ctx, k.target, err)
	}
	defer client.Close()
	ctx, cancel := k.limit(ctx)
	defer cancel()
	begin := time.Now()
	k.call.Permit = 0
	go func() {
		client.Do(ctx, &k.call, &stackEvents{k: k, begin: begin})
		k.call.Done = time.Since(begin)
		k.in.close()
	}()
	if err := k.print(nil, cancel); err != nil {
		return err
	}
	s := client.Stats()
	k.took.sent, k.took.received = s.Sent, s.Received
	k.took.tlsSent, k.took.tlsReceived = max(0, s.SentBytes-s.Sent.Total()), max(0, s.ReceivedBytes-s.Received.Total())
	return nil
}

// stackEvents takes what a library tells of one call.
type stackEvents struct {
	k     *oneCall
	begin time.Time
}

func (e *stackEvents) Sent(c *wiregauge.Call)  { c.Sent = time.Since(e.begin) }
func (e *stackEvents) First(c *wiregauge.Call) { c.First = time.Since(e.begin) }
func (e *stackEvents) Room(*wiregauge.Call)    {}
func (e *stackEvents) Closing()                {}
func (e *stackEvents) Done(*wiregauge.Call)    {}

// Message keeps p, and the library waiting when more than enough is kept.
func (e *stackEvents) Message(_ *wiregauge.Call, p []byte) {
	e.k.in.add(p)
	if e.k.request.Credit > 0 {
		e.k.in.wait()
	}
}

// print writes messages as they come until the call is done. granted lets the peer send one more; stop ends the
// call, after --take messages.
func (k *oneCall) print(granted, stop func()) error {
	for {
		body, ok := k.in.next()
		if !ok {
			return nil
		}
		if k.taken {
			continue // what was on its way when enough had come
		}
		if err := k.message(body); err != nil {
			stop()
			k.in.drain()
			return err
		}
		if k.printed++; k.o.Take > 0 && k.printed >= k.o.Take && k.request.Shape.StreamsIn() {
			k.taken = true
			stop()
			continue
		}
		if granted != nil && k.request.Credit > 0 && k.in.short() { // else more came than was granted
			granted()
		}
	}
}

// errStopped is what Send says once the server wants no more: the call's own outcome tells why.
func stopped(err error) bool { return errors.Is(err, wiregauge.ErrStopped) }

var _ wiregauge.Events = (*stackEvents)(nil)
