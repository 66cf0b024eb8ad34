package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What each tool prints, shortened to what is read.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	log := "1796103071039419\t200\t1000\n1796103071039420\t200\t3000\n1796103071039421\t503\t9000\n1796103071039422\t200\t2000\n"
	if err := os.WriteFile(filepath.Join(dir, "h2load.tsv"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name, out string
		read      func(target, []byte) (*report, error)
		want      report
	}{
		{"hey", `
Summary:
  Average:	0.0086 secs
  Requests/sec:	153.2177

Latency distribution:
  10% in 0.0009 secs
  50% in 0.0051 secs
  99% in 0.0520 secs

Status code distribution:
  [200]	160 responses
  [503]	7 responses

Error distribution:
  [3]	Get "http://127.0.0.1:1/": EOF
`, readHey, report{Percentiles: map[string]int64{"p50": 5_100_000, "p99": 52_000_000}, Mean: 8_600_000, OK: 160, Failed: 10, Rate: 153.2177}},
		{"vegeta", `{"latencies":{"mean":41,"50th":1,"90th":2,"95th":3,"99th":4},"throughput":100.5,"status_codes":{"0":5,"200":100}}`, readVegeta,
			report{Percentiles: map[string]int64{"p50": 1, "p90": 2, "p95": 3, "p99": 4}, Mean: 41, OK: 100, Failed: 5, Rate: 100.5}},
		{"wrk", "percentile 50 6585\npercentile 99.9 85391\nmean 12609.5\nrequests 1350\nduration 1000000\nfailed 7\nstatus 5\n", readWrk,
			report{Percentiles: map[string]int64{"p50": 6_585_000, "p99.9": 85_391_000}, Mean: 12_609_500, OK: 1345, Failed: 7, Rate: 1350}},
		{"bombardier", `{"result":{"timeTakenSeconds":2,"req2xx":100,"req5xx":20,"others":4,"latency":{"mean":19.5,"percentiles":{"50":11,"99":71}}}}`, readBombardier,
			report{Percentiles: map[string]int64{"p50": 11_000, "p99": 71_000}, Mean: 19_500, OK: 100, Failed: 24, Rate: 62}},
		{"oha", `{"summary":{"average":0.01,"requestsPerSec":101.5},"latencyPercentiles":{"p10":0.1,"p50":0.02,"p99.9":0.5},` +
			`"statusCodeDistribution":{"200":50,"503":49},"errorDistribution":{"aborted due to deadline":2,"reset":1}}`, readOha,
			report{Percentiles: map[string]int64{"p50": 20_000_000, "p99.9": 500_000_000}, Mean: 10_000_000, OK: 50, Failed: 50, Rate: 101.5}},
		{"oha without an answer", `{"summary":{"average":null,"requestsPerSec":0},"latencyPercentiles":{"p50":null},"statusCodeDistribution":{},"errorDistribution":{"x":3}}`, readOha,
			report{Percentiles: map[string]int64{}, Failed: 3}},
		{"fortio", "talk\n" + `{"ActualQPS":95.5,"DurationHistogram":{"Avg":0.25,"Percentiles":[{"Percentile":50,"Value":0.5}]},"RetCodes":{"200":98,"-1":2}}`, readFortio,
			report{Percentiles: map[string]int64{"p50": 500_000_000}, Mean: 250_000_000, OK: 98, Failed: 2, Rate: 95.5}},
		{"h2load", "finished in 1.00s, 883.00 req/s, 37.20KB/s\nrequests: 4 total, 4 started, 4 done, 3 succeeded, 1 failed, 0 errored, 0 timeout\n", readH2load,
			report{Percentiles: map[string]int64{"p50": 2_000_000, "p75": 3_000_000, "p90": 3_000_000, "p95": 3_000_000, "p99": 3_000_000, "p99.9": 3_000_000},
				Mean: 2_000_000, OK: 3, Failed: 1, Rate: 883}},
		{"ghz", `{"average":13,"rps":93.5,"statusCodeDistribution":{"OK":98,"Unavailable":1},"latencyDistribution":[{"percentage":10,"latency":8},{"percentage":99,"latency":89}]}`, readGhz,
			report{Percentiles: map[string]int64{"p99": 89}, Mean: 13, OK: 98, Failed: 1, Rate: 93.5}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.read(target{dir: dir}, []byte(row.out))
			if err != nil || !reflect.DeepEqual(*got, row.want) {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got, row.want)
			}
		})
		if _, err := row.read(target{dir: dir}, []byte("a program that has failed")); err == nil {
			t.Errorf("%s: numbers are found in what holds none", row.name)
		}
	}
}
