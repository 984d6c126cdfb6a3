//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"strings"
	"testing"
)

// TestInterrupt sends Ctrl-C to commands that would go on for hours, once they have said that
// they are at work.
func TestInterrupt(t *testing.T) {
	for _, args := range [][]string{
		{"bench", "--context", "8", "-p", "100", "-n", "0", "-r", "1000000000"},
		{"bench", "--context", "8", "-p", "0", "-n", "100", "-r", "1000000000"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			c := programCommand(t, args...)
			pipe, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			stderr := bufio.NewReader(pipe)
			if line, err := stderr.ReadString('\n'); err != nil {
				t.Errorf("stderr %q, %v", line, err)
			}
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
			rest, _ := io.ReadAll(stderr)
			c.Wait()
			if code := c.ProcessState.ExitCode(); code != exitFailed || string(rest) != "octet: interrupted\n" {
				t.Errorf("exit code %d, stderr %q", code, rest)
			}
		})
	}
}
