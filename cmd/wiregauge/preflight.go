package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"wiregauge/doctor"
	"wiregauge/report/number"
)

// What a rate is before anybody asks whether this client can send it: measuring that takes a moment.
const highRate = 10_000 // calls/s

// mostOfCeiling is the share of what the client can send up to which its own queues do not show in the numbers.
const mostOfCeiling = 0.7

// preflight finds what would keep numbers from being believed, before anything is sent. What cannot be read here is not
// warned of.
func (a *app) preflight(ctx context.Context, target *prepared, p *plan) []string {
	var warnings []string
	limits := doctor.ReadLimits(os.DirFS("/"))
	if w := portWarning(&limits, p, target.onLoopback()); w != "" {
		warnings = append(warnings, w)
	}
	if !p.open || p.rate <= highRate || target.Client == "stack" {
		return warnings
	}
	if ceiling := ceilingOf(ctx, target.Protocol, p.load, 0, ceilingTurn); ceiling != nil {
		if w := rateWarning(p.rate, *ceiling); w != "" {
			warnings = append(warnings, w)
		}
	}
	return warnings
}

// rateWarning says that a rate is more than this client can send, or too near to it; "" when it is neither.
func rateWarning(rate, ceiling float64) string {
	if rate <= mostOfCeiling*ceiling {
		return ""
	}
	return fmt.Sprintf("warning: %s calls/s are asked for, and this client makes at most %s of them a second here, answered from memory: "+
		"the numbers will be about the client. Ask for less than %s/s, or see wiregauge doctor",
		number.Significant(rate), number.Significant(ceiling), number.Significant(mostOfCeiling*ceiling))
}

// portWarning says that connections will run out of ports; "" when they will not, or when that is unknown.
func portWarning(l *doctor.Limits, p *plan, loopback bool) string {
	ports := float64(l.Ports())
	if ports == 0 {
		return ""
	}
	if n := float64(p.load.Connections); n > ports {
		return fmt.Sprintf("warning: %s connections to one address need more than the %s ports of this machine; widen net.ipv4.ip_local_port_range",
			number.Significant(n), number.Significant(ports))
	}
	rest := l.PortRest(loopback)
	if !p.load.OneCall || !p.open || rest == 0 || p.rate*rest.Seconds() <= ports {
		return ""
	}
	return fmt.Sprintf("warning: %s calls/s with a connection each need %s ports, for each rests %v after its use, and this machine has %s: "+
		"calls will fail to connect. Ask for less than %s/s, or keep connections", number.Significant(p.rate),
		number.Significant(p.rate*rest.Seconds()), rest, number.Significant(ports), number.Significant(ports/rest.Seconds()))
}

// onLoopback reports whether the target is this machine itself, as far as its address says so.
func (p *prepared) onLoopback() bool {
	address := p.Address
	if to := p.Dialer.Resolve[address]; to != "" {
		address = to
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
