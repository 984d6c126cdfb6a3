//go:build smollm2

package main

import (
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
	good(t, "", "convert", float, int8Dir)
	for _, dir := range []string{float, int8Dir} {
		answer := good(t, "What is the capital of France?\n", "chat", "-m", dir, "-n", "32")
		if !strings.Contains(answer, "Paris") {
			t.Errorf("%s: the capital of France: %q", dir, answer)
		}
	}
	t.Log(good(t, "", "validate", "-m", float, "--against", int8Dir, "--tokens", "768", "--max-kl", "0.0025", "--min-top1", "0.96"))
}
