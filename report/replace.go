package report

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"

	"wiregauge/result"
)

// render writes the report, gzipped when the path says so.
func (o Output) render(w io.Writer, files []*result.File, opt Options) error {
	if !strings.HasSuffix(o.Path, ".gz") {
		return Write(o.Format, w, files, opt)
	}
	z := gzip.NewWriter(w)
	if err := Write(o.Format, z, files, opt); err != nil {
		return err
	}
	return z.Close()
}

// ReplaceFile puts text at path in one step. What is no regular file (a pipe, a link, /dev/null) is written to directly,
// since renaming over it would remove it.
func ReplaceFile(path string, text []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, text, 0o644)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".wiregauge-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails when it has been renamed: fine
	if _, err := tmp.Write(text); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
