package report

import (
	"bytes"
	"io"

	"wiregauge/report/html"
	"wiregauge/report/story"
	"wiregauge/result"
)

// writeHTML writes one self-contained page that holds its own data.
func writeHTML(w io.Writer, files []*result.File, opt Options) error {
	var data bytes.Buffer
	if err := writeJSON(&data, files, opt); err != nil {
		return err
	}
	s := story.Of(files, opt.story())
	return html.Write(w, s, files, data.Bytes(), html.Options{Theme: opt.Theme, Title: opt.Title})
}
