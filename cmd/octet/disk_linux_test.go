package main

import (
	"os"
	"strings"
	"testing"
)

// TestFullDisk writes to a device that is always full.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	got := octet(t, "", "logits", "--ids", "1", "--out", full)
	if got.code != exitFailed || !strings.Contains(got.stderr, "no space left") {
		t.Errorf("logits: %+v", got)
	}
	for _, args := range [][]string{
		{"tokenize"}, {"tokenize", "--json"}, {"inspect"}, {"inspect", "--json"}, {"template"},
		{"bench", "-p", "1", "-n", "0", "-r", "1"}, {"bench", "-p", "1", "-n", "0", "-r", "1", "-o", "csv"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdout, err := os.OpenFile(full, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer stdout.Close()
			var stderr strings.Builder
			c := programCommand(t, args...)
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(hello), stdout, &stderr
			c.Run()
			if code := c.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(stderr.String(), "no space left") {
				t.Errorf("exit code %d, stderr %q", code, stderr.String())
			}
		})
	}
}
