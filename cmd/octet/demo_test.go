package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "int8")
	out := good(t, "", "demo", "--keep", dir)
	for _, part := range []string{"convert   the demo model", "KL divergence mean", "perplexity", "Once upon a time", "tokens/s"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in %s", part, out)
		}
	}
	good(t, "", "run", "-m", dir, "-n", "1", "Once")
}

// TestDemoBrokenPipe reads one line, as head does: nothing may stay behind.
func TestDemoBrokenPipe(t *testing.T) {
	temp := t.TempDir()
	c := programCommand(t, "demo")
	c.Env = append(c.Env, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(stdout, 16).ReadString('\n'); err != nil {
		t.Error(err)
	}
	stdout.Close()
	c.Wait()
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 || c.ProcessState.ExitCode() != exitFailed || stderr.String() != "" {
		t.Errorf("left %v, %v; exit code %d, stderr %q", left, err, c.ProcessState.ExitCode(), stderr.String())
	}
}
