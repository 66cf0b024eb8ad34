package main

import (
	"fmt"
	"os"

	"wiregauge/report"
	"wiregauge/result"
)

// tellGitHub shows a result where GitHub Actions looks: workflow commands on standard error, which the runner reads as
// well as standard output, and the step's summary. A summary that cannot be written is no reason to fail.
func (a *app) tellGitHub(o *OutputOptions, f *result.File) {
	if on, _ := a.lookupEnv("GITHUB_ACTIONS"); on != "true" {
		return
	}
	files := []*result.File{f}
	for _, command := range report.Annotations(files) {
		fmt.Fprintln(a.stderr, command)
	}
	path, _ := a.lookupEnv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return
	}
	summary, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = summary.Write(report.StepSummary(files, report.Options{Percentiles: o.Percentiles, Title: o.Title}))
		if closed := summary.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "warning: the step's summary (GITHUB_STEP_SUMMARY) could not be written: %v\n", err)
	}
}
