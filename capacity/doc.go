// Package capacity finds the highest rate at which a service still meets a goal, and then tests that rate again: what it
// reports was verified in a stage of its own, after the search.
//
// It decides which rate is tried next and what an answer means; it makes no calls and knows no protocol. Who drives it
// gives it a Target. Start reading at Search.Run.
package capacity
