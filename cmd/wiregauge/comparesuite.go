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
	a.dir, a.environ, a.command = t.Dir, t.Environ, t.Start
	at := fmt.Sprintf("%s:%d", f.Name, t.Line)
	if len(t.Start) > 0 && !t.StartIsList {
		words, err := splitCommand(t.Start[0])
		if err != nil {
			return usage("%s: target %s: start: %w", at, t.Name, err)
		}
		a.command = words
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
