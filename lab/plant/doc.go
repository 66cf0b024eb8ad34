// Package plant is planted behaviour: what a server under test does wrong on purpose, so that what a client
// reports can be checked against a known truth.
//
// A Plant is parsed from text: "delay=exp:5ms,stall=1s/10s,status=503/2". A Planter carries one out: for each
// call it waits as long as the plant says and then tells the server what to do. Everything is deterministic: "every
// nth" counts calls in the order of their arrival, and shares and random laws follow golden-ratio sequences,
// whose quantiles are exact where independent samples would be several percent off.
//
// The package knows no protocol. Start reading at Parse; the keys are in keys.go.
package plant
