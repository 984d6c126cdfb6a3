// Package cpu tells which instruction sets assembly may use: those that the machine and
// its operating system have, short of what the environment variable OCTET_CPU forbids.
// OCTET_CPU=generic forbids all of them, OCTET_CPU=avx2 what is beyond AVX2; any other
// value nothing. It is read once, at start.
package cpu

import (
	"os"
	"slices"
)

// Level is a set of instructions that are used together. Each holds those before it. Every
// architecture has its own levels, and only those are declared in its builds; Generic, the
// first, is everywhere.
type Level int

// Generic is plain Go.
const Generic Level = 0

// String returns the level's name in lower case.
func (l Level) String() string { return names[l] }

// Chosen is the level to use.
func Chosen() Level { return min(Best(), allowed(os.Getenv("OCTET_CPU"))) }

// allowed is the best level that the value of OCTET_CPU allows.
func allowed(name string) Level {
	if i := slices.Index(names, name); i >= 0 {
		return Level(i)
	}
	return Level(len(names) - 1)
}
