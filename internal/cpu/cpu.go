// Package cpu tells which instruction sets assembly may use: those that the machine and
// its operating system have, short of what the environment variable OCTET_CPU forbids.
// OCTET_CPU=generic forbids all of them, OCTET_CPU=avx2 what is beyond AVX2; any other
// value nothing. It is read once, at start.
package cpu

// Level is a set of instructions that are used together. Each holds those before it.
type Level int

// The levels.
const (
	Generic Level = iota // none: plain Go
	AVX2                 // AVX2 and F16C
	AVX512               // AVX-512 F, BW, DQ and VL
)

// String returns the level's name in lower case.
func (l Level) String() string {
	return [...]string{"generic", "avx2", "avx512"}[l]
}

// allowed is the best level that the value of OCTET_CPU allows.
func allowed(name string) Level {
	switch name {
	case "generic":
		return Generic
	case "avx2":
		return AVX2
	}
	return AVX512
}
