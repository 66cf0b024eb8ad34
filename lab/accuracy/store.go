package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A store keeps what was measured of one build of wiregauge, a line of JSON each, so that a bench that was stopped goes
// on where it was.
type store struct {
	file *os.File
	done map[string]*record
	all  []*record
}

// A record is one finished job.
type record struct {
	Key        string      `json:"key"`
	Trial      *trial      `json:"trial,omitempty"`
	Comparison *comparison `json:"comparison,omitempty"`
	Sabotage   *sabotage   `json:"sabotage,omitempty"`
	Search     *search     `json:"search,omitempty"`
}

// openStore opens the file of this binary in a folder; another build begins a new one.
func openStore(dir, binary string) (*store, error) {
	code, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("accuracy-%x.jsonl", sha256.Sum256(code))[:21]+".jsonl")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	s := &store{file: f, done: map[string]*record{}}
	whole, err := s.read()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// A line that was cut off by the end of an earlier bench is written anew.
	if err := f.Truncate(whole); err != nil {
		return nil, err
	}
	_, err = f.Seek(whole, io.SeekStart)
	return s, err
}

// read takes the whole lines in and says where they end.
func (s *store) read() (whole int64, err error) {
	for lines := bufio.NewReader(s.file); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		r, err := decode[record](bytes.TrimSpace(line))
		if err != nil {
			return 0, err
		}
		whole += int64(len(line))
		s.keep(r)
	}
}

func (s *store) keep(r *record) {
	s.done[r.Key] = r
	s.all = append(s.all, r)
}

// add keeps one more record, at once on disk.
func (s *store) add(r *record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.keep(r)
	_, err = s.file.Write(append(line, '\n'))
	return err
}

func (s *store) trials() []*trial {
	var list []*trial
	for _, r := range s.all {
		if r.Trial != nil {
			list = append(list, r.Trial)
		}
	}
	return list
}
