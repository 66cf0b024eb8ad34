package story

import (
	"wiregauge/report/number"
	"wiregauge/result"
)

// summaryTable is one row an arm: rate, percentiles, bytes, CPU, errors.
func summaryTable(arms []*result.Arm, ps []float64, void voided) Table {
	ps = fewPercentiles(ps)
	var rows []latencyRow
	for _, a := range arms {
		rows = append(rows, latencyRow{summaryName(a), &a.Latency, leftOut(a.Counts), void.row(a)})
	}
	t := latencyTable("target", rows, ps)
	percentiles := t.Columns[1 : 1+len(ps)]
	for i := range percentiles[min(2, len(ps)):] {
		percentiles[2+i].Rank = 2 // the latency table has them all
	}
	columns := []Column{t.Columns[0], {Name: "calls/s"}}
	columns = append(columns, percentiles...)
	columns = append(columns, Column{Name: "bytes/call"}, Column{Name: "CPU/call"}, Column{Name: "errors"})
	server := false
	for _, a := range arms {
		server = server || a.Server != nil
	}
	if server {
		columns = append(columns, Column{Name: "server CPU/call", Rank: 4})
	}
	var cpu, serverCPU []int64
	for _, a := range arms {
		cpu = appendValue(cpu, a.ClientCPU.PerCall(a.Finished()))
		if a.Server != nil {
			serverCPU = appendValue(serverCPU, a.Server.PerCall(a.Finished()))
		}
	}
	cpuUnit, serverUnit := number.TimeUnit(cpu...), number.TimeUnit(serverCPU...)
	for i, a := range arms {
		t.Series = append(t.Series, i)
		row := []Cell{t.Rows[i][0], void.cell(a, "rate", plain(number.Significant(a.Goodput)))}
		row = append(row, t.Rows[i][1:1+len(ps)]...)
		row = append(row, plain(bytesCell(a)), void.cell(a, "cpu", orNone(cpuUnit, a.ClientCPU.PerCall(a.Finished()))), plain(number.Percent(a.ErrorShare())))
		if server {
			row = append(row, void.cell(a, "server_cpu", serverCell(a, serverUnit)))
		}
		t.Rows[i] = row
	}
	t.Columns = columns
	return t
}

// fewPercentiles keeps p50, p99 and p99.9 of a long list; the latency table has them all.
func fewPercentiles(ps []float64) []float64 {
	if len(ps) <= 3 {
		return ps
	}
	var few []float64
	for _, p := range ps {
		if p == 50 || p == 99 || p == 99.9 {
			few = append(few, p)
		}
	}
	if len(few) == 0 {
		return ps[:3]
	}
	return few
}

func appendValue(all []int64, v *int64) []int64 {
	if v == nil {
		return all
	}
	return append(all, *v)
}

func serverCell(a *result.Arm, u number.Unit) Cell {
	if a.Server == nil {
		return plain("unknown")
	}
	return orNone(u, a.Server.PerCall(a.Finished()))
}

func orNone(u number.Unit, ns *int64) Cell {
	if ns == nil {
		return plain(number.None)
	}
	return plain(number.DurationIn(u, *ns))
}

func bytesCell(a *result.Arm) string {
	if a.SentBytes.Wire+a.RecvBytes.Wire == 0 {
		return number.None
	}
	return number.Significant(wirePerCall(a))
}

func summaryName(a *result.Arm) string {
	switch {
	case a.Baseline:
		return armName(a) + " (base)"
	case a.Floor:
		return armName(a) + " (floor)"
	default:
		return armName(a)
	}
}
