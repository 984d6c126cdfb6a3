package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"octet/runtime/tokenizer"
)

// The exit codes.
const (
	exitGood      = 0
	exitFailed    = 1
	exitUsage     = 2 // wrong flags or arguments
	exitThreshold = 3 // a threshold of validate was missed
)

// exitError is an error that ends the program with a certain code.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// usageError is an error about how the command was called.
func usageError(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

// failure gives err the code of a failure if it has none.
func failure(err error) error {
	if err == nil || errors.As(err, &exitError{}) {
		return err
	}
	return exitError{exitFailed, err}
}

// report prints err, which ended cmd, to w and returns the exit code for it.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitGood
	}
	var e exitError
	if !errors.As(err, &e) {
		e = exitError{exitUsage, err}
	}
	text := printable(strings.ReplaceAll(err.Error(), "\n", "; ")) // one error, one line
	switch {
	case errors.Is(err, syscall.EPIPE): // as in "octet … | head": nobody reads on
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "octet: interrupted")
	case errors.Is(err, tokenizer.ErrMissing):
		fmt.Fprintf(w, "octet: %s; name one with --tokenizer\n", text)
	default:
		fmt.Fprintln(w, "octet:", text)
	}
	if e.code == exitUsage {
		fmt.Fprintf(w, "Run \"%s --help\" for how to call it.\n", cmd.CommandPath())
	}
	return e.code
}
