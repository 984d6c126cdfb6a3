//go:build !linux

package convert

// beginSync does nothing: only Linux can be asked to bring part of a file to the disk.
func beginSync(request) {}
