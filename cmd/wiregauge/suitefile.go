package main

import (
	"errors"
	"fmt"
	"strings"

	"wiregauge/internal/gate"
	"wiregauge/internal/nearest"
	"wiregauge/internal/option"
	"wiregauge/protocol"
	"wiregauge/report"
	"wiregauge/suite"
)

// suiteOptions are all options that a suite file may hold: run takes its own of them and compare its own.
type suiteOptions struct {
	RoundOptions
	SweepOptions
	DeclareOptions
	LoadOptions
	DataOptions
	ConnOptions
	FindOptions
	GateOptions
	OutputOptions
	fileOptions
}

// suiteTargetOptions are those that one target of a suite may have for itself.
type suiteTargetOptions struct {
	LoadOptions
	DataOptions
	ConnOptions
}

func suiteKeys() suite.Keys {
	return suite.Keys{
		Suite:  []*option.Set{option.Bind(nil, &suiteOptions{})},
		Target: []*option.Set{option.Bind(nil, &suiteTargetOptions{})},
		Value:  suiteValue,
		URL:    suiteURL,
	}
}

// suiteValue looks at values whose meaning their option does not check itself, so that all mistakes of a file are
// told at once.
func suiteValue(option, value string) error {
	var err error
	switch option {
	case "fail-if":
		_, err = gate.ParseAll([]string{value})
		err = prefixed("fail-if ", err)
	case "find-max":
		_, err = gate.ParseAll([]string{value})
		err = prefixed("find-max ", err)
	case "output":
		if format, _ := callFormat(value); format == "" {
			_, err = report.ParseOutputs([]string{value})
		}
	case "label":
		_, err = labels([]string{value})
	case "header":
		_, err = headerFields([]string{value}, true)
	case "resolve":
		_, _, err = parseResolve(value)
	}
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--"))
	}
	return nil
}

func prefixed(prefix string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s%w", prefix, err)
}

// suiteURL looks at a target's url; its {port} is filled in when its server starts.
func suiteURL(url string) error {
	const stand = "65533" // for the port that is not known yet
	_, err := protocol.ParseTarget(strings.ReplaceAll(url, "{port}", stand))
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), stand, "{port}"))
	}
	return nil
}

// readSuite reads a suite file; every mistake in it is told. env holds the values of --env.
func (a *app) readSuite(path string, env []string) (*suite.File, error) {
	given := map[string]string{}
	for _, e := range env {
		k, v, ok := strings.Cut(e, "=")
		if !ok || k == "" {
			return nil, usage("--env wants NAME=VALUE, got %q", e)
		}
		given[k] = v
	}
	f, err := suite.Read(path, suiteKeys(), func(name string) (string, bool) {
		if v, ok := given[name]; ok {
			return v, true
		}
		return a.lookupEnv(name)
	})
	var mistakes suite.Mistakes
	switch {
	case errors.As(err, &mistakes):
		return nil, &exitError{code: exitUsage, what: mistakes.Error(), err: err}
	case err != nil:
		return nil, usage("--file: %w", err)
	}
	return f, nil
}

// applySuite gives the options of run what the file says, those of its target included, and returns the target's
// URL. With several targets the first argument names the one that is meant; it is then taken off the arguments.
func (a *app) applySuite(set *option.Set, file string, env, args []string) (url string, rest []string, err error) {
	f, err := a.readSuite(file, env)
	if err != nil {
		return "", nil, err
	}
	if err := f.Apply(set); err != nil {
		return "", nil, usage("%w", err)
	}
	target, rest, err := chooseTarget(f, args)
	if err != nil || target == nil {
		return "", rest, err
	}
	if len(target.Start) > 0 && !set.Given("against") {
		return "", nil, usage("%s:%d: run starts no server, and target %q has a start command", f.Name, target.Line, target.Name).
			with("try", "wiregauge compare -f "+file)
	}
	if err := f.ApplyTarget(set, target); err != nil {
		return "", nil, usage("%w", err)
	}
	return target.URL, rest, nil
}

// chooseTarget finds the target that run is to load; nil when a URL is given or the file has none.
func chooseTarget(f *suite.File, args []string) (*suite.Target, []string, error) {
	var names []string
	for i := range f.Targets {
		if len(args) > 0 && args[0] == f.Targets[i].Name {
			return &f.Targets[i], args[1:], nil
		}
		names = append(names, f.Targets[i].Name)
	}
	switch {
	case len(args) > 0 && strings.Contains(args[0], "://"):
		return nil, args, nil
	case len(args) > 0:
		e := usage("%s has no target %q: it has %s", f.Name, args[0], strings.Join(names, ", "))
		if near := nearest.Of(args[0], names); near != "" {
			e.with("did you mean", near+" ?")
		}
		return nil, nil, e
	case len(names) == 1:
		return &f.Targets[0], nil, nil
	case len(names) > 1:
		return nil, nil, usage("%s has %d targets: %s", f.Name, len(names), strings.Join(names, ", ")).
			with("try", "wiregauge run -f "+f.Name+" "+names[0]).with("or", "wiregauge compare -f "+f.Name)
	}
	return nil, args, nil
}
