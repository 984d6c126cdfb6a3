//go:build !linux && !purego

package quant

// amxKernels is empty: how AMX is allowed is known for Linux alone.
func amxKernels() []*kernel { return nil }
