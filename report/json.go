package report

import (
	"bytes"
	"io"

	"wiregauge/result"
)

// writeJSON writes one result as it is saved, several as a list.
func writeJSON(w io.Writer, files []*result.File, _ Options) error {
	if len(files) == 1 {
		return files[0].Write(w)
	}
	out := []byte("[\n")
	for i, f := range files {
		text, err := f.JSON()
		if err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ",\n"...)
		}
		out = append(out, bytes.TrimSpace(text)...)
	}
	_, err := w.Write(append(out, "\n]\n"...))
	return err
}
