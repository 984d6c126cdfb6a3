package convert

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// The kinds of errors that Run and RunCheckpoint return, beside those of package
// loader, of the context and of the file system, for errors.Is.
var (
	// ErrUnsupported: the source cannot be written in the format that is asked for.
	ErrUnsupported = errors.New("unsupported conversion")
	// ErrDestination: the destination is in use, by another convert too, or would touch the
	// source.
	ErrDestination = errors.New("unusable destination")
	// ErrWeight: a weight is NaN or infinite.
	ErrWeight = errors.New("weight without a value")
)

// fault is an error whose text is complete by itself and which answers errors.Is for
// its kind.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

// unsupported returns an ErrUnsupported about what, a file or a field.
func unsupported(what, format string, args ...any) error {
	return &fault{ErrUnsupported, "convert: " + what + ": " + fmt.Sprintf(format, args...)}
}

// unusable returns an ErrDestination about path.
func unusable(path, format string, args ...any) error {
	return &fault{ErrDestination, "convert: " + path + ": " + fmt.Sprintf(format, args...)}
}

// failed wraps an error of the file system about the file at path.
func failed(path, doing string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // without the temporary path
	}
	return fmt.Errorf("convert: %s: %s: %w", path, doing, err)
}

// maxQuoted bounds the part of a message that comes from a file.
const maxQuoted = 120

// quote is strconv.Quote for text from a file, shortened where it is too long to read.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	return strconv.Quote(s[:maxQuoted]) + "…"
}
