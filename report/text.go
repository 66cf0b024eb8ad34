package report

import (
	"fmt"
	"io"

	"wiregauge/result"
)

func writeText(w io.Writer, files []*result.File, _ Options) error {
	for _, f := range files {
		for _, a := range f.Arms {
			if _, err := fmt.Fprintf(w, "%s: %d ok, %d failed, %.0f calls/s\n", a.Name, a.OK, a.Failed, a.AchievedRate); err != nil {
				return err
			}
		}
	}
	return nil
}
