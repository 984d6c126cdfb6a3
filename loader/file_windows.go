package loader

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapFile maps the size bytes of f, size > 0, read-only. The mapping outlives f.
func mapFile(f *os.File, size int) (*mapping, error) {
	section, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(section) // the view keeps the section alive
	addr, err := windows.MapViewOfFile(section, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, err
	}
	// The address is no Go memory; reading it through a *uintptr keeps vet content.
	data := unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size)
	return &mapping{data: data, unmap: func() error { return windows.UnmapViewOfFile(addr) }}, nil
}
