//go:build !amd64 || purego

package cpu

// Best is the best level that this build can use.
func Best() Level { return Generic }

// Chosen is the level to use.
func Chosen() Level { return Generic }
