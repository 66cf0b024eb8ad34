package wiregauge

import "context"

// A Client is the library that a Go service would really use (net/http, grpc-go), as a lane sees it: one
// instance per connection asked for, safe for concurrent use.
type Client interface {
	// Do carries out c and returns when it is done. It fires First, Message and Sent where the library can
	// tell, never Done, and sets Outcome, Status and Text. The lane stamps Done when Do returns.
	Do(ctx context.Context, c *Call, ev Events)
	// Stats may be called at any time.
	Stats() ClientStats
	Close() error
}

// ClientStats is what a library did behind the caller's back, since the client was made.
type ClientStats struct {
	Opened         int64 // connections opened
	Ended          int64 // connections that ended: by the library, or
	GoAways        int64 // after a GOAWAY that was seen,
	Closes         int64 // closed by the server,
	Resets         int64 // reset by it
	Retries        int64 // second tries that cannot be proven harmless
	Resent         int64 // second tries of calls the server provably did not process
	Sent, Received Traffic
	SentBytes      int64 // as they left for the kernel, TLS included
	ReceivedBytes  int64
	Retransmits    int64 // segments that the kernel sent again; less than all when Unread
	Unread         bool  // of one connection or more that could not be read
}
