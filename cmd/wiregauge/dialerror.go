package main

import "context"

// explainDial puts a target that could not be reached into words.
func (a *app) explainDial(ctx context.Context, p *prepared, err error) error {
	return p.explain(ctx, err)
}
