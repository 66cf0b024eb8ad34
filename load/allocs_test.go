package load

import (
	"context"
	"crypto/tls"
	"math/big"
	"net"
	"runtime"
	"testing"

	"wiregauge/internal/testcert"
	"wiregauge/pace"
	"wiregauge/wire"
)

// growth is how many allocations a turn of many calls makes beyond those of one of few, per call.
func growth(t *testing.T, p Plan, few, many uint64) float64 {
	t.Helper()
	e := open(t, p)
	mallocs := func(n uint64) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := e.Turn(context.Background(), Spec{Total: n})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if r.OK != int64(n) {
			t.Fatalf("%+v", r.Counts)
		}
		return after.Mallocs - before.Mallocs
	}
	mallocs(few) // what is made once
	a, b := mallocs(few), mallocs(many)
	return (float64(b) - float64(a)) / float64(many-few)
}

// A call costs no allocation, on any way that bytes take. A little is left for the runtime's own.
func TestACallDoesNotAllocate(t *testing.T) {
	tcp := echoServer(t, nil)
	plans := map[string]Plan{"null": echoPlan(1, 50), "null, 4 lanes": echoPlan(4, 50)}
	overTCP := echoPlan(2, 32)
	overTCP.Dialer = wire.Dialer{Address: tcp}
	plans["tcp"] = overTCP
	overTCP.MaxInflight = 100
	overTCP.Pacer = pace.Constant(big.NewRat(1_000_000, 1))
	plans["tcp, open loop"] = overTCP
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			if got := growth(t, p, 5_000, 55_000); got > 0.02 {
				t.Errorf("%.4f allocations per call", got)
			}
		})
	}
}

// crypto/tls allocates about twice for each record and direction that it reads; we add nothing.
func TestACallOverTLSAllocatesLittle(t *testing.T) {
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := ca.Server("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	p := echoPlan(1, 1)
	p.Dialer = wire.Dialer{Address: echoServer(t, cfg), TLS: ca.Client()}
	p.Dialer.TLS.ServerName = "127.0.0.1"
	if got := growth(t, p, 500, 4_500); got > 6 { // 2 for each side, for the server is in this process; more under the race detector
		t.Errorf("%.2f allocations per call", got)
	} else {
		t.Logf("%.2f allocations per call", got)
	}
}

// echoServer sends back what comes.
func echoServer(t testing.TB, cfg *tls.Config) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if cfg != nil {
		l = tls.NewListener(l, cfg)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go echoBack(c)
		}
	}()
	return l.Addr().String()
}

func echoBack(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return
		}
	}
}
