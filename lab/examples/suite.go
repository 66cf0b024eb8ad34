package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"wiregauge/lab"
)

// A suite is what the peers need of a suite file; wiregauge itself reads all of it.
type suite struct {
	title   string
	callers int
	builds  []string
	arms    []arm // the baseline first
}

// An arm is one server: how it is started, and where it is asked.
type arm struct {
	name, start, url, data string
}

func readSuite(path, peers string) (*suite, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Title    string
		Baseline string
		Load     struct{ Concurrency int }
		Data     struct{ Greeting string }
		Targets  map[string]struct{ URL, Start, Build string }
	}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(string(text), "${PEERS}", peers)), &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data := ""
	if file.Data.Greeting != "" {
		data = fmt.Sprintf(`{"greeting":%q}`, file.Data.Greeting)
	}
	s := &suite{title: file.Title, callers: file.Load.Concurrency}
	for name, t := range file.Targets {
		a := arm{name: name, start: t.Start, url: t.URL, data: data}
		if name == file.Baseline {
			s.arms = append([]arm{a}, s.arms...)
		} else {
			s.arms = append(s.arms, a)
		}
		if t.Build != "" {
			s.builds = append(s.builds, t.Build)
		}
	}
	if len(s.arms) != 2 || s.arms[0].name != file.Baseline {
		return nil, fmt.Errorf("%s: want two targets, one of them the baseline, got %d", path, len(s.arms))
	}
	return s, nil
}

// build makes what the start commands run.
func (s *suite) build(ctx context.Context) error {
	for _, line := range s.builds {
		words := strings.Fields(line)
		if out, err := command(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line, err, out)
		}
	}
	return nil
}

// launch starts the server on a free port and waits until wiregauge has had an answer from it.
func (a arm) launch(ctx context.Context, wiregauge string) (*lab.Process, string, error) {
	port, err := lab.FreePort()
	if err != nil {
		return nil, "", err
	}
	url := strings.ReplaceAll(a.url, "{port}", fmt.Sprint(port))
	args := []string{"call", url}
	if a.data != "" {
		args = append(args, "-d", a.data)
	}
	p, err := lab.Launch(ctx, lab.LaunchConfig{Command: strings.Fields(a.start), Port: port, Ready: func(ctx context.Context) error {
		return command(ctx, wiregauge, args...).Run()
	}})
	return p, url, err
}
