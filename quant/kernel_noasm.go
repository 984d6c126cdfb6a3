//go:build !(amd64 || arm64) || purego

package quant

// machineKernels is empty where all is plain Go.
func machineKernels() []*kernel { return nil }
