package report

import (
	"encoding/json"
	"fmt"
	"io"

	"wiregauge/report/number"
	"wiregauge/result"
)

// A gabEntry is one benchmark of github-action-benchmark's tool customSmallerIsBetter.
type gabEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// writeGAB is the list that github-action-benchmark keeps a history of. Only numbers where smaller is better are in
// it. Those that do not exist or are not trustworthy are left out, for they would become the history; doubts that leave
// a number standing are in extra.
func writeGAB(w io.Writer, files []*result.File, opt Options) error {
	all := []gabEntry{}
	for _, s := range subjects(files, opt) {
		for _, m := range s.measures() {
			all = append(all, s.gab(m))
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (s *subject) gab(m measure) gabEntry {
	e := gabEntry{Name: s.name() + " " + m.name, Unit: m.unit, Value: m.value}
	switch m.name {
	case "cpu":
		e.Name = s.name() + " client CPU per call"
	case "bytes":
		e.Name = s.name() + " bytes per call"
	case "errors":
		e.Unit, e.Value = "%", m.value*100
	}
	if low, high := s.spread(m.metric); low != nil {
		e.Range = fmt.Sprintf("%s to %s", number.Significant(*low), number.Significant(*high))
	}
	e.Extra = fmt.Sprintf("%s calls ok, %s failed, %s unfinished\ntrust: %s", number.Count(s.arm.OK), number.Count(s.arm.Failed),
		number.Count(s.arm.Unfinished), s.trust(m.metric))
	for _, r := range s.file.Trust.About(s.arm.Name, m.metric) {
		e.Extra += "\n" + doubt(r)
	}
	if s.arm.Limited == "client" {
		e.Extra += "\n" + clientLimited
	}
	return e
}
