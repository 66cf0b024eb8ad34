package main

import (
	"fmt"

	"wiregauge/internal/option"
	"wiregauge/suite"
)

// readSuite takes targets and options from the suite file. Flags and the environment override it.
func (c *comparison) readSuite() error {
	f, err := c.app.readSuite(c.o.File, c.o.Env)
	if err != nil {
		return err
	}
	if err := f.Apply(c.set); err != nil {
		return usage("%w", err)
	}
	for i := range f.Targets {
		if err := c.addTarget(f, &f.Targets[i]); err != nil {
			return err
		}
	}
	return nil
}

// addTarget makes one entry under targets an arm.
func (c *comparison) addTarget(f *suite.File, t *suite.Target) error {
	a := c.newArm(t.Name, t.URL)
	a.dir, a.environ = t.Dir, t.Environ
	var err error
	if a.command, err = commandOf(f, t, "start", t.Start, t.StartIsList); err != nil {
		return err
	}
	if a.build, err = commandOf(f, t, "build", t.Build, t.BuildIsList); err != nil {
		return err
	}
	for _, s := range t.Settings {
		for _, value := range s.Values {
			if err := a.apply(option.File, fmt.Sprintf("%s:%d", f.Name, s.Line), s.Option, value); err != nil {
				return usage("%s:%d:%d: %w", f.Name, s.Line, s.Column, err)
			}
		}
	}
	c.arms = append(c.arms, a)
	return nil
}

// commandOf is a command of a target as words: a list is taken as it is.
func commandOf(f *suite.File, t *suite.Target, key string, words []string, isList bool) ([]string, error) {
	if len(words) == 0 || isList {
		return words, nil
	}
	cut, err := splitCommand(words[0])
	if err != nil {
		return nil, usage("%s:%d: target %s: %s: %w", f.Name, t.Line, t.Name, key, err)
	}
	return cut, nil
}
