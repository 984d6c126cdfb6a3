//go:build !unix && !windows

package loader

import (
	"io"
	"os"
)

// mapFile reads the size bytes of f: this system has no memory mapping.
func mapFile(f *os.File, size int) (*mapping, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return &mapping{data: data}, nil
}
