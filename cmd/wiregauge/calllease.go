package main

import (
	"context"
	"fmt"
	"strings"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
)

// lacksLease reports whether the server refused the call because it had not given a lease yet. Servers of rsocket-java
// say so to clients that never asked for one; the code says that nothing was processed, and the text that it is about leases.
func (k *oneCall) lacksLease() bool {
	c := &k.call
	return isRSocket(k.target.Protocol) && c.Status == int(frame.Rejected) && strings.Contains(c.Text, "Lease was not issued") &&
		!k.o.Lease && k.sent.Live == nil && k.printed == 0
}

// withLease sends the call once more, on a connection that asks for a lease and waits for it.
func (k *oneCall) withLease(ctx context.Context) error {
	if !k.o.Silent {
		fmt.Fprintf(k.app.stderr, "notice: the server gives leases and refused the call (%s): it is sent again with --lease, and counted as resent\n", rsocketCode(k.call.Status))
	}
	k.target.Options.Setup.Lease = true
	k.call.Reset(k.request)
	k.call.Explain, k.call.Detail, k.call.Resent = true, &wiregauge.Detail{}, 1
	k.in = newInbox()
	return k.overWire(ctx)
}
