//go:build !(amd64 || arm64) || purego

package cpu

// names are the levels' names.
var names = []string{"generic"}

// Best is the best level that this build can use.
func Best() Level { return Generic }
