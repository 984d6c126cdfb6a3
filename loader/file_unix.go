//go:build unix

package loader

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the size bytes of f, size > 0, read-only. The mapping outlives f.
func mapFile(f *os.File, size int) (*mapping, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &mapping{data: data, unmap: func() error { return unix.Munmap(data) }}, nil
}
