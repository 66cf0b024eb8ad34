package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/compare"
	"wiregauge/contract"
	"wiregauge/internal/nearest"
	"wiregauge/internal/option"
	"wiregauge/load"
	"wiregauge/protocol"
)

// An arm is one NAME=URL with its own copy of the options.
type arm struct {
	of      *comparison
	name    string
	raw     string // "{port}" in it is filled in per launch
	o       *compareOptions
	set     *option.Set
	command []string // that starts its server; empty when it is already running
	build   []string // that makes what command runs; empty for none
	dir     string
	environ []string
	target  *protocol.Target // as parsed before any launch
	last    *readyArm
	own     []string // the checks that its own options are about
}

// A readyArm is an arm whose server can be called: its protocol is chosen, its requests are made.
type readyArm struct {
	url    string
	target *prepared
	sent   *payload
	plan   *plan
}

// newArm copies the options that hold for all arms, with where they came from.
func (c *comparison) newArm(name, raw string) *arm {
	own := *c.o
	a := &arm{of: c, name: name, raw: raw, o: &own}
	a.set = copied(c.set, a.o)
	return a
}

// common are the options that hold for the comparison as a whole and cannot be set for one arm.
var common = []string{
	"launches", "rounds", "turn", "ready-timeout", "quick", "control", "baseline", "min-effect", "primary", "require-verdict", "set", "fail-if", "against",
	"users", "rates", "sizes", "size-field", "verdict-at",
	"max-errors", "output", "percentiles", "title", "theme", "silent", "verbose", "color", "no-color", "progress",
	"file", "env", "name", "label", "dry-run", "i-own-this-target", "ramp", "total", "duration", "seed", "warmup",
}

// override applies every --set NAME.KEY=VALUE.
func (c *comparison) override() error {
	for _, text := range c.o.Set {
		left, value, ok := strings.Cut(text, "=")
		name, key, dotted := strings.Cut(left, ".")
		if !ok || !dotted {
			return usage("--set wants NAME.KEY=VALUE such as %s.connections=4, got %q", c.arms[0].name, text)
		}
		i := slices.IndexFunc(c.arms, func(a *arm) bool { return a.name == name })
		if i < 0 {
			return usage("--set %s: no arm %q; the arms are %s", text, name, strings.Join(c.names(), ", "))
		}
		if err := c.arms[i].apply(option.Flag, "--set", key, value); err != nil {
			return err
		}
	}
	return nil
}

// apply gives one option of the arm a value of its own.
func (a *arm) apply(origin option.Origin, from, key, value string) error {
	switch key {
	case "url":
		a.raw = value
		return nil
	case "dir":
		a.dir = value
		return nil
	case "start", "build":
		words, err := splitCommand(value)
		if err != nil {
			return usage("arm %s: %s: %w", a.name, key, err)
		}
		if key == "start" {
			a.command = words
		} else {
			a.build = words
		}
		return nil
	}
	known := a.set.Lookup(key)
	if known == nil {
		e := usage("arm %s: unknown option %q", a.name, key)
		if near := nearest.Of(key, a.settable()); near != "" {
			return e.with("did you mean", near+" ?")
		}
		return e
	}
	if slices.Contains(common, key) {
		return usage("arm %s: --%s holds for the whole comparison and cannot be set for one arm", a.name, key)
	}
	if err := known.Apply(origin, from, value); err != nil {
		return usage("arm %s: %s %w", a.name, key, err)
	}
	if check := checkedBy[key]; check != "" {
		a.own = append(a.own, check)
	}
	return nil
}

// checkedBy are the fair-test checks of what is set for one arm: a difference that is asked for is what is compared.
var checkedBy = map[string]string{
	"connections": "connections", "streams": "connections", "tls-min": "TLS version", "tls-max": "TLS version", "http": "ALPN",
}

func (a *arm) settable() []string {
	names := []string{"url", "start", "build", "dir"}
	for _, o := range a.set.All() {
		if !slices.Contains(common, o.Name) {
			names = append(names, o.Name)
		}
	}
	return names
}

func (c *comparison) names() []string {
	var names []string
	for _, a := range c.arms {
		names = append(names, a.name)
	}
	return names
}

// check reads what can be wrong before anything runs.
func (a *arm) check() error {
	if strings.Contains(a.raw, "{port}") && !a.starts() {
		return usage("arm %s: {port} in %s is filled in when its server is started here: --set %s.start='COMMAND --port {port}'", a.name, a.raw, a.name)
	}
	var err error
	a.target, err = a.of.app.target(strings.ReplaceAll(a.raw, "{port}", "1"), &a.o.ConnOptions)
	if err != nil {
		return a.of.named(a, err)
	}
	return nil
}

func (a *arm) starts() bool { return len(a.command) > 0 }

func (a *arm) floor() bool {
	return a.target != nil && len(a.target.Candidates) == 1 && a.target.Candidates[0].Floor
}

// shareContract lets one arm's method stand for all: the path of a gRPC URL names it, the others need it to encode
// and to read the same messages.
func (c *comparison) shareContract() {
	method := ""
	for _, a := range c.arms {
		if a.o.Call != "" {
			method = a.o.Call
		} else if method == "" && a.target.Candidates[0].Name == "grpc" {
			method = strings.Trim(a.target.Path, "/")
		}
	}
	files := len(c.o.Proto)+len(c.o.Protoset) > 0
	if method == "" || !files {
		return
	}
	for _, a := range c.arms {
		if a.o.Call == "" {
			a.o.Call = method
		}
		if a.floor() && a.o.Codec == "" {
			a.o.Codec = "protobuf" // the floor carries the same message
		}
	}
}

// ready prepares the arm for a server at url, once.
func (a *arm) ready(ctx context.Context, url string) (*readyArm, error) {
	if a.last != nil && a.last.url == url {
		return a.last, nil
	}
	app := a.of.app
	r := &readyArm{url: url}
	var err error
	a.o.stream = a.o.Take > 0 || a.o.Slow.open()
	if r.target, r.sent, err = app.prepare(ctx, url, &a.o.ConnOptions, &a.o.DataOptions, told(a.o.Timeout)); err != nil {
		return nil, err
	}
	if r.plan, err = newPlan(&a.o.LoadOptions, a.set, r.target, r.sent); err != nil {
		return nil, err
	}
	if other := a.answeredOtherwise(r); other != nil {
		return nil, usage("arm %s and arm %s cannot be compared: one sends and waits for nothing, the other is answered", other.name, a.name).
			with("try", "the same --interaction for both")
	}
	if a.o.Stop.mode == "close" {
		r.plan.load.Drain = drain // latency is followed to its end, also beyond the turn
	}
	if err := app.mayLoad(ctx, r.target, r.plan, a.o.Own); err != nil {
		return nil, err
	}
	if a.last == nil && !a.of.o.Silent {
		for _, notice := range append(r.plan.notices, app.preflight(ctx, r.target, r.plan)...) {
			fmt.Fprintf(app.stderr, "%s: %s\n", a.name, notice)
		}
	}
	a.last = r
	return r, nil
}

// answeredOtherwise is an arm whose calls are answered where those of r are not, or the other way round; nil for none.
func (a *arm) answeredOtherwise(r *readyArm) *arm {
	for _, other := range a.of.arms {
		if other != a && other.last != nil && !other.floor() && !a.floor() && other.last.oneWay() != r.oneWay() {
			return other
		}
	}
	return nil
}

func (r *readyArm) oneWay() bool { return r.sent.Requests[0].Shape == wiregauge.OneWay }

// drain is how long calls in flight at the end of a turn may still finish.
const drain = time.Second

// spec is the arm as compare knows it.
func (a *arm) spec() compare.Arm {
	s := compare.Arm{
		Name: a.name, URL: redactURL(a.raw), Client: a.o.Client, Floor: a.floor(),
		Protocol: a.target.Candidates[0].Title, Open: a.open, Probe: a.probe, Ceiling: a.ceiling,
	}
	if a.starts() {
		s.Start = &compare.StartSpec{Command: a.command, Dir: a.dir, Env: a.environ}
	}
	if a.last != nil {
		s.Protocol, s.Method = a.last.target.Protocol.Title, a.last.sent.Requests[0].Method
	}
	return s
}

// at is the URL of the arm in one launch. What compare knows is redacted; this is not.
func (a *arm) at(r compare.Running) string {
	r.URL = a.raw
	return filled(r)
}

// filled is a URL with its port.
func filled(r compare.Running) string {
	if r.Port == 0 {
		return r.URL
	}
	return strings.ReplaceAll(r.URL, "{port}", strconv.Itoa(r.Port))
}

// open makes the connections of one launch.
func (a *arm) open(ctx context.Context, at compare.Running) (compare.Turner, error) {
	r, err := a.ready(ctx, a.at(at))
	if err != nil {
		return nil, err
	}
	plan := r.plan.load
	plan.Name = a.name
	if plan.ServerPID == 0 {
		plan.ServerPID = at.PID
	}
	engine, err := load.Open(ctx, plan)
	if err != nil {
		return nil, r.target.dialError(err)
	}
	return engine, nil
}

// ceiling is how many calls a second the client can make of the arm's; nil where that cannot be measured.
func (a *arm) ceiling(ctx context.Context, body int) *float64 {
	if a.last == nil || a.last.target.Client == "stack" {
		return nil
	}
	return ceilingOf(ctx, a.last.target.Protocol, a.last.plan.load, body, ceilingTurn)
}

// contractFor is the method that the arm's messages can be read with: its own, or that of another arm whose server
// could be asked.
func (a *arm) contractFor(r *readyArm) *contract.Method {
	if r.sent.Method != nil {
		return r.sent.Method
	}
	for _, other := range a.of.arms {
		if other.last != nil && other.last.sent.Method != nil && !other.floor() && !a.floor() && (r.sent.Codec == "json" || r.sent.Codec == "cbor") {
			return other.last.sent.Method
		}
	}
	return nil
}

// splitCommand cuts a start command into words. Quotes keep words together; no shell is involved.
func splitCommand(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed in %q", quote, text)
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("no command in %q", text)
	}
	return words, nil
}
