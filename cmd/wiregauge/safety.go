package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
)

// What may be sent to any host without asking.
const (
	freeRate  = 100    // calls per second
	freeCalls = 10_000 // in all
)

// mayLoad keeps load away from hosts that are not the user's: loopback and private addresses are free, others only
// up to a small load, or with --i-own-this-target, or after a yes on a terminal.
func (a *app) mayLoad(ctx context.Context, p *prepared, plan *plan, owned []string) error {
	if !plan.heavy() || slices.Contains(owned, p.Host) || slices.Contains(owned, p.Address) {
		return nil
	}
	foreign := foreignAddress(ctx, p)
	if foreign == "" {
		return nil
	}
	what := fmt.Sprintf("%s is %s, neither this machine nor a private network", p.Host, foreign)
	if p.Host == foreign {
		what = p.Host + " is neither this machine nor a private network"
	}
	if a.terminal(a.stdin) && a.terminal(a.stderr) {
		fmt.Fprintf(a.stderr, "%s. Is it yours to load? [y/N] ", what)
		answer, _ := bufio.NewReader(a.stdin).ReadString('\n')
		if strings.EqualFold(strings.TrimSpace(answer), "y") || strings.EqualFold(strings.TrimSpace(answer), "yes") {
			return nil
		}
		return usage("not loaded: %s", p.Host)
	}
	return usage("%s", what).with("limit", fmt.Sprintf("%d calls/s or %d calls without a word from you", freeRate, freeCalls)).
		with("try", "--i-own-this-target "+p.Host)
}

// heavy reports whether the plan may go beyond the free load. A closed loop has no rate of its own: it is as fast
// as the server, so only its number of calls can keep it small.
func (p *plan) heavy() bool {
	if p.search {
		return true
	}
	if !p.open {
		return p.record.Total == 0 || p.record.Total > freeRate
	}
	calls := float64(p.record.Total)
	if calls == 0 {
		calls = p.rate * p.length().Seconds()
	}
	return p.rate > freeRate || calls > freeCalls
}

// foreignAddress is an address of the target outside loopback and private networks, "" when there is none.
func foreignAddress(ctx context.Context, p *prepared) string {
	if p.Network != "tcp" {
		return ""
	}
	host := p.Host
	if to := p.Dialer.Resolve[p.Address]; to != "" {
		host, _, _ = net.SplitHostPort(to)
	}
	if ip := net.ParseIP(strings.SplitN(host, "%", 2)[0]); ip != nil {
		return publicIP(ip)
	}
	found, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	if err != nil {
		return "" // the dial will say so
	}
	for _, ip := range found {
		if s := publicIP(ip); s != "" {
			return s
		}
	}
	return ""
}

func publicIP(ip net.IP) string {
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() {
		return ""
	}
	return ip.String()
}
