package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

const greeting = "wiregauge"

// rows lists the work of the table. Every command asks for the same method with the same message.
func rows(s *server) []row {
	return []row{
		{"gRPC unary, 1 connection x 50", s.ours("grpc", 1, 50), s.h2loadGRPC("grpc", 1, 50), 0.7},
		{"gRPC unary, 1 connection x 50", s.ours("grpc", 1, 50), s.ghz(), 1.0 / 25},
		{"gRPC unary, 50 connections x 1", s.ours("grpc", 50, 1), s.h2loadGRPC("grpc", 50, 1), 0.95},
		{"gRPC unary over TLS, 1 x 50", s.ours("grpcs", 1, 50), s.h2loadGRPC("grpcs", 1, 50), 0.7},
		{"gRPC unary over TLS, 50 x 1", s.ours("grpcs", 50, 1), s.h2loadGRPC("grpcs", 50, 1), 0.8},
		{"HTTP/1.1 POST of JSON, 50 connections", s.ours("http", 50, 1), s.wrk(), 1.2},
		{"HTTP/1.1 POST of JSON, 50 connections", s.ours("http", 50, 1), s.hey(), 0.7},
		{"HTTP/2 POST of JSON, 1 x 50", s.ours("h2c", 1, 50), s.h2loadJSON(), 0.7},
	}
}

func (s *server) ours(scheme string, connections, streams int) tool {
	return tool{name: "ours", share: 1,
		command: func(o options, n int) []string {
			args := []string{o.wiregauge, "run", s.url[scheme], "-d", s.json, "-n", strconv.Itoa(n),
				"-c", strconv.Itoa(connections * streams), "--connections", strconv.Itoa(connections),
				"-s", "-o", "json=-"}
			if scheme == "grpcs" {
				args = append(args, "--cacert", s.ca)
			}
			return args
		},
		count: func(out string) (int64, error) {
			var file struct {
				Arms []struct {
					OK int64 `json:"ok"`
				} `json:"arms"`
			}
			if err := json.Unmarshal([]byte(out), &file); err != nil || len(file.Arms) != 1 {
				return 0, fmt.Errorf("no result in %.200q", out)
			}
			return file.Arms[0].OK, nil
		}}
}

func (s *server) h2loadGRPC(scheme string, connections, streams int) tool {
	return tool{name: "h2load", share: 1,
		command: func(o options, n int) []string {
			return []string{"h2load", "-n", strconv.Itoa(n), "-c", strconv.Itoa(connections), "-m", strconv.Itoa(streams),
				"-H", "content-type: application/grpc", "-H", "te: trailers", "-d", s.grpcBody, s.h2loadURL(scheme)}
		},
		count: counter(`requests: \d+ total, \d+ started, \d+ done, (\d+) succeeded`)}
}

func (s *server) h2loadJSON() tool {
	t := s.h2loadGRPC("h2c", 1, 50)
	t.command = func(o options, n int) []string {
		return []string{"h2load", "-n", strconv.Itoa(n), "-c", "1", "-m", "50",
			"-H", "content-type: application/json", "-d", s.jsonBody, s.h2loadURL("h2c")}
	}
	return t
}

func (s *server) ghz() tool {
	return tool{name: "ghz", share: 0.1,
		command: func(o options, n int) []string {
			return []string{filepath.Join(o.peers, "ghz"), "--insecure", "--call", "wg.v1.Hello/SayHello", "-d", s.json,
				"-n", strconv.Itoa(n), "-c", "50", "--connections", "1", s.address["grpc"]}
		},
		count: counter(`\[OK\]\s+(\d+) responses`)}
}

func (s *server) wrk() tool {
	return tool{name: "wrk", share: 1, timed: true,
		command: func(o options, n int) []string { // wrk has no number of calls: it runs for as long as ours needs
			return []string{"wrk", "-t", "1", "-c", "50", "-d", strconv.Itoa(max(n/25_000, 1)) + "s", "-s", s.wrkScript, s.url["http"]}
		},
		count: counter(`(\d+) requests in`)}
}

func (s *server) hey() tool {
	return tool{name: "hey", share: 1.0 / 3,
		command: func(o options, n int) []string {
			return []string{"hey", "-n", strconv.Itoa(n - n%50), "-c", "50", "-m", "POST", "-T", "application/json", "-d", s.json, s.url["http"]}
		},
		count: counter(`\[200\]\s+(\d+) responses`)}
}

func counter(pattern string) func(string) (int64, error) {
	re := regexp.MustCompile(pattern)
	return func(out string) (int64, error) {
		m := re.FindStringSubmatch(out)
		if m == nil {
			return 0, fmt.Errorf("no count in its output: %.300q", out)
		}
		return strconv.ParseInt(m[1], 10, 64)
	}
}

// bodies writes what the peers read from files: the JSON, the same message as one gRPC frame, wrk's script.
func (s *server) bodies(dir string) error {
	s.json = fmt.Sprintf(`{"greeting":%q}`, greeting)
	message := append([]byte{0x0a, byte(len(greeting))}, greeting...)
	frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	script := fmt.Sprintf("wrk.method = 'POST'\nwrk.body = '%s'\nwrk.headers['Content-Type'] = 'application/json'\n", s.json)
	for _, f := range []struct {
		path *string
		name string
		body []byte
	}{{&s.grpcBody, "grpc.bin", frame}, {&s.jsonBody, "body.json", []byte(s.json)}, {&s.wrkScript, "post.lua", []byte(script)}} {
		*f.path = filepath.Join(dir, f.name)
		if err := os.WriteFile(*f.path, f.body, 0o600); err != nil {
			return err
		}
	}
	return nil
}
