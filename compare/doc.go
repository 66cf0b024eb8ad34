// Package compare measures two or more arms against each other and says what may be said about them.
//
// Run plays launches (every server started anew), in them rounds (one turn of every arm, in random order), and
// hands over a result file with verdicts. The unit of the statistics is the launch, or the round when there is
// one launch: never a request. What it may say is decided by Judge, one pure function.
//
// The package makes no calls of its own: an Arm brings a Turner that carries out turns and a Probe that makes one
// call. Start reading at Plan and Run.
package compare
