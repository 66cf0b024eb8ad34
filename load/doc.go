// Package load makes the calls: an Engine holds the connections of one plan and measures it in turns.
//
// A lane is one connection and all that belongs to it: its session, its outbox, its calls in flight, its counts.
// The goroutine that reads a connection also refills it (closed loop: read, Receive, Start, one write for all). The
// keeper, the goroutine inside Turn, does what time asks for: it sends what is due in an open loop, ends calls that
// take too long and thinking callers' pauses, and ends the turn. Between turns connections stay open and idle.
//
// Counting is conserved, exactly: due = unsent + sent, sent = ok + failed + unfinished.
//
// Start reading at Engine.Turn, then lane.start and lane.finish. The package knows no protocol and writes no files.
package load
