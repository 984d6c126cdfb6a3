package tokenizer

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// maxFile is the size of the largest tokenizer file that is read. Published ones reach 35 MB.
const maxFile = 64 << 20

// maxTokens is how many tokens a tokenizer.model or tokenizer.bin may have, whose tokens take less room
// in the file than in memory. Published ones have 256,000.
const maxTokens = 1 << 20

// readFile reads a regular file of at most maxFile bytes. The file is looked at before it is opened:
// opening a pipe would wait for its other end.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if err := readable(info); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // that of the file now open
		return nil, err
	}
	if err := readable(info); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var data bytes.Buffer
	data.Grow(int(max(0, info.Size())) + bytes.MinRead)
	n, err := data.ReadFrom(io.LimitReader(f, maxFile+1))
	if err == nil && n > maxFile {
		err = fmt.Errorf("%s: %w", name, tooLarge(n))
	}
	return data.Bytes(), err
}

func readable(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: a regular file expected, found a %s", ErrFormat, fileKind(info.Mode()))
	}
	if info.Size() > maxFile {
		return tooLarge(info.Size())
	}
	return nil
}

func tooLarge(size int64) error {
	return fmt.Errorf("%w: at most %d bytes expected, found %d", ErrUnsupported, maxFile, size)
}

// fileKind names what is no regular file.
func fileKind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
