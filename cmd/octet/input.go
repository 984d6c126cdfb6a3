package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// maxInput bounds what is read from stdin, in bytes.
const maxInput = 64 << 20

// readAll reads r to its end, limit bytes at most.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("more than %s", formatBytes(limit))
	}
	return data, err
}

// readInput reads stdin to its end, or until the command's context ends: a terminal may never
// come to an end.
func readInput(c *cobra.Command) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := readAll(c.InOrStdin(), maxInput)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("stdin: %w", r.err)
		}
		return r.data, nil
	case <-c.Context().Done():
		return nil, c.Context().Err()
	}
}
