// Package wire connects: it dials (TCP, unix sockets, TLS, or memory), reads and writes without ever blocking a
// writer, and drives one session on one connection. It knows no protocol and no load.
//
// A Conn is the connection, an Outbox the one unsent buffer in front of it, and an Exchange is the small driver
// for single calls. The lanes of package load use Conn and Outbox directly. Start reading at Conn.
package wire
