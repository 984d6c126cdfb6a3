//go:build arm64 && !purego

package cpu

// NEON is the level of arm64: the vectors that every such processor has. What is beyond
// them, dot products of bytes for one, is for those who use it to ask for.
const NEON = Generic + 1

// names are the levels' names.
var names = []string{"generic", "neon"}

// Best is the best level that this machine has.
func Best() Level { return NEON }
