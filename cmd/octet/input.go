package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// readInput reads stdin to its end, or until the command's context ends: a terminal may never
// come to an end.
func readInput(c *cobra.Command) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(c.InOrStdin())
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
