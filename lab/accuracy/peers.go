package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"wiregauge/lab/truth"
)

// callers is how many workers a peer with workers is given under a rate: the default of most of them.
const callers = 50

// peers lists the load generators that people use, as people type them.
func peers() []tool {
	return []tool{
		{name: "hey", protocol: "http", open: true, closed: true, timeouts: true, command: hey, read: readHey, about: "hey 0.1.4, 50 workers under a rate"},
		{name: "vegeta", protocol: "http", open: true, timeouts: true, command: vegeta, read: readVegeta, about: "vegeta 12.13.0, as many workers as it takes"},
		{name: "wrk", protocol: "http", closed: true, timeouts: true, command: wrk, read: readWrk, about: "wrk 4.1.0; percentiles by its Lua interface"},
		{name: "bombardier", protocol: "http", open: true, closed: true, timeouts: true, command: bombardier, read: readBombardier, about: "bombardier 1.2.6, 50 connections under a rate"},
		{name: "oha", protocol: "http", open: true, closed: true, timeouts: true, command: oha, read: readOha, about: "oha 1.16.0, 50 connections under a rate"},
		{name: "fortio", protocol: "http", open: true, closed: true, timeouts: true, command: fortio, read: readFortio, about: "fortio 1.63.0, 50 connections under a rate"},
		{name: "h2load", protocol: "h2c", open: true, closed: true, command: h2load, read: readH2load, about: "h2load 1.52.0, one connection; percentiles from its log of calls"},
		{name: "h2load", protocol: "grpc", open: true, closed: true, command: h2loadGRPC, read: readH2load, about: "the same"},
		{name: "ghz", protocol: "grpc", open: true, closed: true, timeouts: true, command: ghz, read: readGhz, about: "ghz 0.121.0, 50 workers under a rate: its default mode"},
		{name: "ghz --async", protocol: "grpc", open: true, timeouts: true, command: ghzAsync, read: readGhz, about: "the same with --async"},
	}
}

func hey(t target, l truth.Load) []string {
	args := []string{"hey"}
	if l.Rate > 0 {
		args = append(args, "-c", strconv.Itoa(callers), "-q", strconv.FormatFloat(l.Rate/callers, 'f', -1, 64))
	} else {
		args = append(args, "-c", strconv.Itoa(l.Callers))
	}
	if l.Calls > 0 {
		args = append(args, "-n", strconv.Itoa(l.Calls))
	} else {
		args = append(args, "-z", l.Duration.String())
	}
	if l.Timeout > 0 {
		args = append(args, "-t", strconv.Itoa(int(l.Timeout.Seconds())))
	}
	return append(args, t.urls["http"])
}

// vegeta attacks into a file, which is read by vegeta too: one shell line, as its manual has it.
func vegeta(t target, l truth.Load) []string {
	timeout := max(l.Timeout, 0)
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	program, err := t.program("vegeta")
	if err != nil {
		return []string{"vegeta"}
	}
	line := fmt.Sprintf("echo 'GET %s' | %s attack -rate %g -duration %v -timeout %v | %s report -type json",
		t.urls["http"], program, l.Rate, l.Duration, timeout, program)
	return []string{"/bin/sh", "-c", line}
}

const wrkScript = `done = function(summary, latency, requests)
  for _, p in ipairs({50, 75, 90, 95, 99, 99.9}) do io.write(string.format("percentile %g %d\n", p, latency:percentile(p))) end
  local e = summary.errors
  io.write(string.format("mean %.1f\nrequests %d\nduration %d\nfailed %d\n", latency.mean, summary.requests, summary.duration,
    e.status + e.timeout + e.read + e.write + e.connect))
  io.write(string.format("status %d\n", e.status))
end
`

func wrk(t target, l truth.Load) []string {
	script := filepath.Join(t.dir, "percentiles.lua")
	_ = os.WriteFile(script, []byte(wrkScript), 0o600) // wrk says so when it is not there
	seconds := max(1, int(l.Duration.Seconds()))
	args := []string{"wrk", "-t", "1", "-c", strconv.Itoa(l.Callers), "-d", strconv.Itoa(seconds) + "s", "-s", script}
	if l.Timeout > 0 {
		args = append(args, "--timeout", strconv.Itoa(int(l.Timeout.Seconds()))+"s")
	}
	return append(args, t.urls["http"])
}

func bombardier(t target, l truth.Load) []string {
	args := append([]string{"bombardier", "-l", "-p", "r", "-o", "json"}, lengthFlags(l, "-d")...)
	if l.Rate > 0 {
		args = append(args, "-r", strconv.FormatFloat(l.Rate, 'f', -1, 64))
	}
	timeout := l.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	return append(args, "-t", timeout.String(), t.urls["http"])
}

// lengthFlags are -c and -n, or -c and the flag for a time, which three peers share.
func lengthFlags(l truth.Load, duration string) []string {
	c := callers
	if l.Callers > 0 {
		c = l.Callers
	}
	if l.Calls > 0 {
		return []string{"-c", strconv.Itoa(c), "-n", strconv.Itoa(l.Calls)}
	}
	return []string{"-c", strconv.Itoa(c), duration, l.Duration.String()}
}

func oha(t target, l truth.Load) []string {
	args := append([]string{"oha", "--no-tui", "--output-format", "json"}, lengthFlags(l, "-z")...)
	if l.Rate > 0 {
		args = append(args, "-q", strconv.FormatFloat(l.Rate, 'f', -1, 64))
	}
	if l.Timeout > 0 {
		args = append(args, "-t", l.Timeout.String())
	}
	return append(args, t.urls["http"])
}

func fortio(t target, l truth.Load) []string {
	qps := "0" // as fast as the callers go
	if l.Rate > 0 {
		qps = strconv.FormatFloat(l.Rate, 'f', -1, 64)
	}
	timeout := l.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	args := append([]string{"fortio", "load", "-quiet", "-qps", qps, "-p", "50,75,90,95,99,99.9", "-timeout", timeout.String(), "-allow-initial-errors",
		"-json", "-"}, lengthFlags(l, "-t")...)
	return append(args, t.urls["http"])
}

func h2load(t target, l truth.Load) []string {
	seconds := max(1, int(l.Duration.Seconds()))
	args := []string{"h2load", "-c", "1", "--log-file=" + filepath.Join(t.dir, "h2load.tsv")}
	if l.Calls > 0 {
		args = append(args, "-n", strconv.Itoa(l.Calls))
	} else {
		args = append(args, "-D", strconv.Itoa(seconds))
	}
	if l.Rate > 0 {
		args = append(args, "--rps", strconv.FormatFloat(l.Rate, 'f', -1, 64), "-m", "1000")
	} else {
		args = append(args, "-m", strconv.Itoa(l.Callers))
	}
	return append(args, "http"+trimScheme(t.urls["h2c"]))
}

func h2loadGRPC(t target, l truth.Load) []string {
	body := filepath.Join(t.dir, "grpc.bin")
	_ = os.WriteFile(body, []byte("\x00\x00\x00\x00\x05\x0a\x03Ada"), 0o600) // h2load says so when it is not there
	args := h2load(t, l)
	return append(args[:len(args)-1], "-H", "content-type: application/grpc", "-H", "te: trailers", "-d", body, "http"+trimScheme(t.urls["grpc"]))
}

func trimScheme(url string) string {
	for i := range url {
		if url[i] == ':' {
			return url[i:]
		}
	}
	return url
}

func ghz(t target, l truth.Load) []string {
	args := append([]string{"ghz", "--insecure", "--call", "wg.v1.Hello/SayHello", "-d", callGreeting, "-O", "json", "--duration-stop", "wait"},
		lengthFlags(l, "-z")...)
	if l.Rate > 0 {
		args = append(args, "--rps", strconv.FormatFloat(l.Rate, 'f', -1, 64))
	}
	if l.Timeout > 0 {
		args = append(args, "-t", l.Timeout.String())
	}
	return append(args, t.address["grpc"])
}

func ghzAsync(t target, l truth.Load) []string {
	args := ghz(t, l)
	return append(args[:len(args)-1], "--async", t.address["grpc"])
}
