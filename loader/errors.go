package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// The kinds of errors that Open, OpenFS and the methods of Checkpoint return, for
// errors.Is. The text of an error names the file, what was expected and what was found.
// A file that is missing is an fs.ErrNotExist besides; errors of reading are those of
// the system.
var (
	// ErrFormat: a file is damaged, or files contradict each other.
	ErrFormat = errors.New("damaged checkpoint")
	// ErrUnsupported: the files may be sound, but octet does not read what they hold.
	ErrUnsupported = errors.New("unsupported checkpoint")
	// ErrMissingTensor: the checkpoint holds no tensor of that name.
	ErrMissingTensor = errors.New("missing tensor")
)

// fault is an error whose text is complete by itself and which still answers errors.Is
// for its kind and its cause.
type fault struct {
	kind  error // one of the sentinels; nil where reading failed
	text  string
	cause error // may be nil
}

func (f *fault) Error() string { return f.text }

func (f *fault) Unwrap() []error {
	var all []error
	for _, err := range []error{f.kind, f.cause} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// damaged returns an ErrFormat about file.
func damaged(file, format string, args ...any) error {
	return newFault(ErrFormat, file, format, args)
}

// unsupported returns an ErrUnsupported about file.
func unsupported(file, format string, args ...any) error {
	return newFault(ErrUnsupported, file, format, args)
}

// unread returns an error of reading file, without the operation and path that package
// os puts into its errors: ours begin with the file already.
func unread(file string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return newFault(nil, file, "%w", []any{err})
}

// newFault keeps the last error among args as the cause.
func newFault(kind error, file, format string, args []any) error {
	f := &fault{kind: kind, text: "loader: " + file + ": " + fmt.Errorf(format, args...).Error()}
	for _, a := range args {
		if err, ok := a.(error); ok {
			f.cause = err
		}
	}
	return f
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
