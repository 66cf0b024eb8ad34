package result

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// What Read and ReadAll refuse, for callers that must tell it apart.
var (
	ErrForeign   = errors.New("not a wiregauge result")
	ErrNewer     = errors.New("written by a newer wiregauge")
	ErrTruncated = errors.New("the file ends early")
)

// maxSize bounds a file, also when it is unzipped, in bytes: no result comes near it.
const maxSize = 128 << 20

// Read reads one saved result: JSON, or a report in HTML that holds it, either of them also gzipped. Fields that
// are unknown are ignored, for v1 may grow.
func Read(r io.Reader) (*File, error) {
	files, err := ReadAll(r)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("the file holds %d results; expected one", len(files))
	}
	return files[0], nil
}

// ReadAll reads what Read does, and also a list of results, and JSON lines, which end with their result.
func ReadAll(r io.Reader) ([]*File, error) {
	text, err := inflated(r)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return nil, fmt.Errorf("%w: it is empty; expected JSON of %s", ErrTruncated, Schema)
	}
	if text[0] == '<' {
		if text, err = dataBlock(text); err != nil {
			return nil, err
		}
	}
	if err := foreign(text); err != nil {
		return nil, err
	}
	lines, err := summaries(text)
	if err != nil {
		return nil, err
	}
	if lines != nil {
		text = lines
	}
	return decodeAll(text)
}

// inflated is all of r, unzipped when it is gzip.
func inflated(r io.Reader) ([]byte, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return readAll(b)
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("%w: its gzip header: %w", ErrTruncated, err)
	}
	text, err := readAll(z)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: its gzip stream is cut off after %d bytes", ErrTruncated, len(text))
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%w: more than %d MiB, and no result is that large", ErrForeign, maxSize>>20)
	}
	return text, err
}

// The data block of a report in HTML: gzip, then base64.
const (
	DataBlockOpen  = `<script type="application/json" id="wiregauge-data" data-encoding="gzip+base64">`
	dataBlockClose = `</script>`
)

func dataBlock(page []byte) ([]byte, error) {
	_, rest, found := bytes.Cut(page, []byte(DataBlockOpen))
	if !found {
		return nil, fmt.Errorf("%w: an HTML page without the data block of a wiregauge report (id=\"wiregauge-data\")", ErrForeign)
	}
	block, _, found := bytes.Cut(rest, []byte(dataBlockClose))
	if !found {
		return nil, fmt.Errorf("%w: inside the report's data block", ErrTruncated)
	}
	packed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(block)))
	if err != nil {
		return nil, fmt.Errorf("the report's data block is damaged: %w", err)
	}
	return inflated(bytes.NewReader(packed))
}

// decodeAll decodes one result or a list of them.
func decodeAll(text []byte) ([]*File, error) {
	if text[0] != '[' {
		f, err := decode(text)
		return []*File{f}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, explain(err, text)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: the list is empty", ErrForeign)
	}
	files := make([]*File, 0, len(list))
	for i, one := range list {
		f, err := decode(one)
		if err != nil {
			return nil, fmt.Errorf("result %d of %d: %w", i+1, len(list), err)
		}
		files = append(files, f)
	}
	return files, nil
}

func decode(text []byte) (*File, error) {
	if err := checkSchema(text); err != nil {
		return nil, err
	}
	f := new(File)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, explain(err, text)
	}
	if len(f.Arms) == 0 {
		return nil, errors.New(`the result has no arms; expected "arms" with at least one`)
	}
	for i, a := range f.Arms {
		if a.Counts.least() < 0 || a.Window < 0 {
			return nil, fmt.Errorf("arms[%d]: a number of calls or the time is below 0; was the file edited?", i)
		}
	}
	err := f.eachDistribution(func(name string, d *Distribution) error {
		if err := d.decode(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkSchema says whether text is ours to read.
func checkSchema(text []byte) error {
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return explain(err, text)
	}
	if head.Schema == nil {
		return fmt.Errorf(`%w: JSON without "schema"; expected "schema": %q`, ErrForeign, Schema)
	}
	if *head.Schema == Schema {
		return nil
	}
	if version, ours := strings.CutPrefix(*head.Schema, "wiregauge.result/"); ours {
		return fmt.Errorf("%w: the file is %s and this program reads %s; use a newer wiregauge", ErrNewer, version, Schema)
	}
	return fmt.Errorf(`%w: "schema" is %q; expected %q`, ErrForeign, *head.Schema, Schema)
}

// explain puts a JSON error into words with the place it happened at.
func explain(err error, text []byte) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if int(syntax.Offset) >= len(text) {
			return fmt.Errorf("%w: after %d bytes, inside the JSON; was it copied whole?", ErrTruncated, len(text))
		}
		line := 1 + bytes.Count(text[:syntax.Offset], []byte("\n"))
		return fmt.Errorf("%w: no JSON at line %d (%v); expected JSON of %s", ErrForeign, line, syntax, Schema)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		if kind.Field == "" {
			return fmt.Errorf("%w: the JSON is a %s; expected an object with \"schema\": %q", ErrForeign, kind.Value, Schema)
		}
		field := strings.ReplaceAll(kind.Field, "Counts.", "") // embedded: the JSON does not name it
		if n, ok := strings.CutPrefix(kind.Value, "number "); ok && jsonKind(kind) == "a number" {
			return fmt.Errorf("field %q holds %s; expected a number that fits 64 bits (schema: wiregauge schema result)", field, n)
		}
		return fmt.Errorf("field %q holds a %s; expected %s (schema: wiregauge schema result)", field, kind.Value, jsonKind(kind))
	}
	return fmt.Errorf("read result: %w", err)
}

// jsonKind names a Go kind as JSON does.
func jsonKind(err *json.UnmarshalTypeError) string {
	switch kind := err.Type.Kind().String(); kind {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice":
		return "a list"
	case "struct", "map":
		return "an object"
	default:
		return "a number"
	}
}
