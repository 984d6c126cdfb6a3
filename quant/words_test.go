package quant

import (
	"testing"

	"octet/internal/words"
)

// Words are what GNU's assembler makes of the line above them.
func TestWords(t *testing.T) { words.Check(t, "neon_arm64.h") }
