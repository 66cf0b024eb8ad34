package wiregauge

// Outcome is how a call ended: one list for all protocols. A call is judged by its Outcome and never by its Status.
type Outcome uint8

// The outcomes. The zero value means "not finished"; only OK is a success.
const (
	Unfinished  Outcome = iota // still in flight
	OK                         // answered, and the answer is a success in its protocol
	Failed                     // answered with an error: Status says which (HTTP 503, gRPC 14, RSocket 0x201)
	Unexpected                 // answered, but not with what the user expected (--expect)
	NoStatus                   // the answer ended without saying how it went (no grpc-status)
	Unprocessed                // provably never processed (above a GOAWAY's last id): may be sent once more
	Refused                    // the peer refused this call and goes on (REFUSED_STREAM)
	Reset                      // the peer reset the call or the connection
	Closed                     // the connection ended before the answer was complete
	Malformed                  // the peer broke the protocol
	TooLarge                   // a message or header list beyond the limit
	Timeout                    // our own per-call timeout passed
	Canceled                   // abandoned by the user
	Connect                    // no connection could be had
	Retried                    // a stack client tried a second time on its own
	Local                      // our own fault: the request could not be sent as asked
)

var outcomeNames = [...]string{
	"unfinished", "ok", "failed", "unexpected", "no status", "unprocessed", "refused", "reset", "closed",
	"malformed", "too large", "timeout", "canceled", "connect", "retried", "local",
}

// String names the outcome as reports print it.
func (o Outcome) String() string { return outcomeNames[o] }

// Outcomes is how many outcomes there are: the length of a table indexed by Outcome.
const Outcomes = len(outcomeNames)
