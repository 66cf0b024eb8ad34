// Package slurp reads files whole that a user names: up to a size, so that a device, an endless pipe or the wrong
// file ends in an error and not in all of the memory.
package slurp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrLonger is what All and File say of more than they are to read.
var ErrLonger = errors.New("longer")

// File reads the file at path, most bytes at most.
func File(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := All(f, most)
	if err != nil {
		return nil, named(path, err)
	}
	return text, nil
}

func named(path string, err error) error {
	if _, ok := err.(*os.PathError); ok { // it says the path
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// All reads r to its end, most bytes at most.
func All(r io.Reader, most int64) ([]byte, error) {
	var b bytes.Buffer
	if info, err := sizeOf(r); err == nil && info <= most {
		b.Grow(int(info) + bytes.MinRead) // a plain file is read into one piece of memory
	}
	n, err := b.ReadFrom(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, fmt.Errorf("%w than %d MiB, which is as much as is read", ErrLonger, most>>20)
	}
	return b.Bytes(), nil
}

// sizeOf is the size of a plain file.
func sizeOf(r io.Reader) (int64, error) {
	f, ok := r.(*os.File)
	if !ok {
		return 0, os.ErrInvalid
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, os.ErrInvalid
	}
	return info.Size(), nil
}
