// Package truth holds servers whose right answer is known: planted behaviour (package plant) together with a load, and
// the quantiles, rates and failure shares that any honest client must then report, by formula. It is what the accuracy
// bench and `wiregauge serve --truth` are made of.
//
// It runs no server and no client. Start reading at Cases; the formulas are in formula.go and queue.go, and what a
// server writes down of its calls is in log.go.
package truth
