package main

import "context"

// explainDial puts a target that could not be reached into words.
func (a *app) explainDial(_ context.Context, p *prepared, err error) error {
	return p.dialError(err)
}
