package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// server is `wiregauge serve` on core 0: net/http and grpc-go, the same for both tools of a row.
type server struct {
	cmd                           *exec.Cmd
	dir                           string
	url, address                  map[string]string // by scheme, of the hello service
	ca                            string
	json                          string
	grpcBody, jsonBody, wrkScript string
}

func startServer(ctx context.Context, binary string) (*server, error) {
	dir, err := os.MkdirTemp("", "wiregauge-bench")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, url: map[string]string{}, address: map[string]string{}, ca: filepath.Join(dir, "ca.pem")}
	s.cmd = exec.CommandContext(ctx, "taskset", "-c", "0", binary, "serve", "hello", "echo", "--ca-dir", dir)
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = 10 * time.Second
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.bodies(dir), s.cmd.Start()); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := s.read(bufio.NewScanner(out)); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// read takes the URLs that serve prints, the first of each scheme, until it has all that the table needs.
func (s *server) read(lines *bufio.Scanner) error {
	needed := []string{"http", "h2c", "grpc", "grpcs", "tcp"}
	for lines.Scan() {
		u, err := url.Parse(strings.TrimSpace(lines.Text()))
		if err != nil || u.Host == "" || s.url[u.Scheme] != "" {
			continue
		}
		s.url[u.Scheme], s.address[u.Scheme] = u.String(), u.Host
		if !slices.ContainsFunc(needed, func(scheme string) bool { return s.url[scheme] == "" }) {
			go func() {
				for lines.Scan() { // what else it prints
				}
			}()
			return nil
		}
	}
	return fmt.Errorf("serve printed no URL of one of %v: %v", needed, s.url)
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	os.RemoveAll(s.dir)
}

// h2loadURL is the same target as h2load wants it: http or https.
func (s *server) h2loadURL(scheme string) string {
	u, err := url.Parse(s.url[scheme])
	if err != nil {
		return ""
	}
	u.Scheme = map[string]string{"grpc": "http", "h2c": "http", "grpcs": "https", "h2": "https"}[scheme]
	return u.String()
}

// runPinned runs a command on one core and returns its output, its CPU time and its peak memory in bytes.
func runPinned(ctx context.Context, core string, args []string) (out string, cpu time.Duration, peak int64, err error) {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", core}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", 0, 0, fmt.Errorf("%s: %w: %.300s", args[0], err, stderr.String())
	}
	state := cmd.ProcessState
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		peak = usage.Maxrss * 1024
	}
	return stdout.String(), state.UserTime() + state.SystemTime(), peak, nil
}
