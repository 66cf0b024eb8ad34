package load

import (
	"context"
	"errors"

	"wiregauge/result"
	"wiregauge/wire"
)

// Engine runs one plan in turns.
type Engine struct{}

// Open makes the connections.
func Open(ctx context.Context, p Plan) (*Engine, error) { return nil, errors.New("not yet") }

// Turn measures one time slice.
func (e *Engine) Turn(ctx context.Context, s Spec) (result.Turn, error) {
	return result.Turn{}, errors.New("not yet")
}

// Snapshot is for the progress display.
func (e *Engine) Snapshot() Snapshot { return Snapshot{} }

// Info is what is known of the connections.
func (e *Engine) Info() []wire.Info { return nil }

// Close ends the connections.
func (e *Engine) Close() error { return nil }
