// Command pages writes one page of each kind of sample result into a folder, for browsers and people to look at:
//
//	go run ./report/internal/pages FOLDER
//
// Beside each page it writes the result that the page must hold. Start reading at samples.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"wiregauge/report"
	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// samples are the results by the name of their page.
var samples = map[string]func() *result.File{
	"run":          sample.Burst,
	"errors":       sample.Half,
	"nothing":      sample.Empty,
	"unfinished":   sample.Stuck,
	"untrusted":    sample.NotTrusted,
	"ramp":         sample.Ramp,
	"capacity":     sample.Capacity,
	"comparison":   sample.Demanding,
	"not-fair":     sample.NotFair,
	"ratios-hold":  sample.AbsoluteVoid,
	"one-launch":   sample.OneLaunch,
	"large":        sample.Large,
	"sweep":        sample.Sweep,
	"sweep-rates":  sample.RateSweep,
	"sweep-run":    sample.RunSweep,
	"hostile-text": hostile,
}

// hostile has text in every place that may break a page.
func hostile() *result.File {
	f := sample.Demanding()
	f.Title = sample.HostileText
	f.Notes = []string{sample.HostileText}
	f.Command = []string{"wiregauge", sample.HostileText}
	names := map[string]string{}
	for i := range f.Arms {
		a := &f.Arms[i]
		names[a.Name] = a.Name + sample.HostileText
		a.Name = names[a.Name]
		a.Errors = []result.ErrorClass{{Class: sample.HostileText, Stage: "read", Count: 1, Message: sample.HostileText}}
	}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		v.A, v.B = names[v.A], names[v.B]
	}
	for i := range f.Turns {
		f.Turns[i].Arm = names[f.Turns[i].Arm]
	}
	return f
}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("expected one folder: go run ./report/internal/pages FOLDER")
	}
	all := map[string][]*result.File{"side-by-side": {sample.Met(), sample.Burst()}}
	for name, of := range samples {
		all[name] = []*result.File{of()}
	}
	for name, files := range all {
		for _, format := range []string{"html", "json"} {
			var out bytes.Buffer
			if err := report.Write(format, &out, files, report.Options{}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := os.WriteFile(filepath.Join(os.Args[1], name+"."+format), out.Bytes(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
