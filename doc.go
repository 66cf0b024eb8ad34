// Package wiregauge holds the words that every other package of the tool speaks:
// a Request is what is sent, a Call is one request in flight and then its outcome, a Session is
// one protocol on one connection as a state machine without I/O, and Events is how a session tells
// its lane what happened.
//
// The package knows no protocol, no socket, no clock and no statistics, and imports only the
// standard library. Start reading at Session.
package wiregauge
