// Package all registers every protocol of this binary. Only the command imports it.
package all

import (
	_ "wiregauge/protocol/grpc"
	_ "wiregauge/protocol/http1"
	_ "wiregauge/protocol/http2"
	_ "wiregauge/protocol/null"
	_ "wiregauge/protocol/rsocket"
	_ "wiregauge/protocol/tcp"
)
