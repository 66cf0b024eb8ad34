// Package prototest is what every protocol must pass: Suite drives a session in memory, as a lane would, against a
// peer that the protocol's own tests bring (a real server over PipeListener, or a script of bytes).
//
// The pieces can be used alone. A Driver holds one session and obeys the lane's rules without any I/O; its Recorder
// keeps the events and notes every rule that the session breaks. A Lane runs a Driver over a net.Conn. A Recording
// is what a real server sent, to be fed again whole, in pieces, cut short, or counted for allocations. FuzzReceive
// feeds a session anything. Start reading at Suite.
package prototest
