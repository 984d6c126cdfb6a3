package loader

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// files is the directory of a checkpoint: on disk, where large files are mapped, or in
// an fs.FS, where they are read.
type files interface {
	// list returns the names of the files in it, sorted.
	list() ([]string, error)
	// read returns a small file; an error of fs.ErrNotExist where it is absent.
	read(name string, limit int64) ([]byte, error)
	// open returns the bytes of a large file.
	open(name string) (*mapping, error)
}

// mapping is the contents of a file.
type mapping struct {
	data  []byte
	unmap func() error // nil where data is ordinary memory
}

func (m *mapping) close() error {
	if m.unmap == nil {
		return nil
	}
	err := m.unmap()
	m.data, m.unmap = nil, nil
	return err
}

// diskFiles is a directory on disk, by its path.
type diskFiles string

func (d diskFiles) list() ([]string, error) { return listFiles(os.DirFS(string(d))) }

func (d diskFiles) read(name string, limit int64) ([]byte, error) {
	return readFile(os.DirFS(string(d)), name, limit)
}

func (d diskFiles) open(name string) (*mapping, error) {
	return openMapping(filepath.Join(string(d), name), name)
}

// openMapping maps the file at path, which messages call name. The file is looked at
// before it is opened: opening a pipe would wait for its other end.
func openMapping(path, name string) (*mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unread(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, damaged(name, "a regular file expected, found %v", info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unread(name, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, unread(name, err)
	}
	if info.Size() == 0 {
		return &mapping{}, nil // an empty file cannot be mapped
	}
	if info.Size() > math.MaxInt {
		return nil, unsupported(name, "%d bytes are more than this machine can address", info.Size())
	}
	m, err := mapFile(f, int(info.Size()))
	if err != nil {
		return nil, unread(name, err)
	}
	return m, nil
}

// fsFiles is the root of an fs.FS.
type fsFiles struct{ fsys fs.FS }

func (f fsFiles) list() ([]string, error) { return listFiles(f.fsys) }

func (f fsFiles) read(name string, limit int64) ([]byte, error) {
	return readFile(f.fsys, name, limit)
}

func (f fsFiles) open(name string) (*mapping, error) {
	data, err := readFile(f.fsys, name, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	return &mapping{data: data}, nil
}

// listFiles returns the names of all that is not a directory at the root of fsys.
func listFiles(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, unread("directory", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// maxGrow bounds the memory that is taken on the word of an fs.FS about a size.
const maxGrow = 64 << 20

// readFile reads a regular file of at most limit bytes.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, unread(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, damaged(name, "a regular file expected, found %v", info.Mode().Type())
	}
	if info.Size() > limit {
		return nil, damaged(name, "at most %d bytes expected, found %d", limit, info.Size())
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, unread(name, err)
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(max(0, min(info.Size(), maxGrow))) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, limit)); err != nil {
		return nil, unread(name, err)
	}
	return b.Bytes(), nil
}
