//go:build smollm2

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSmolLM2 takes a real model through the whole program: OCTET_SMOLLM2 names the directory
// of SmolLM2-135M-Instruct that .ci/smollm2 writes.
func TestSmolLM2(t *testing.T) {
	float := os.Getenv("OCTET_SMOLLM2")
	if float == "" {
		t.Fatal("OCTET_SMOLLM2 is not set")
	}
	int8Dir := filepath.Join(t.TempDir(), "int8")
	octet(t, "", "convert", float, int8Dir)
	for _, dir := range []string{float, int8Dir} {
		answer := octet(t, "What is the capital of France?\n", "chat", "-m", dir, "-n", "32")
		if !strings.Contains(answer, "Paris") {
			t.Errorf("%s: the capital of France: %q", dir, answer)
		}
	}
	t.Log(octet(t, "", "validate", "-m", float, "--against", int8Dir, "--tokens", "768", "--max-kl", "0.0025", "--min-top1", "0.96"))
}

// octet runs the program with args and returns its stdout; a failure ends the test.
func octet(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(args, strings.NewReader(stdin), &stdout, &stderr); code != exitGood {
		t.Fatalf("octet %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout.String(), stderr.String())
	}
	return stdout.String()
}
