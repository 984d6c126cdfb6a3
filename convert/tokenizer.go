package convert

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"octet/loader"
)

// maxTokenBytes bounds the tokens of a tokenizer.bin.
const maxTokenBytes = 1 << 20

// binTokenizer is the tokenizer.bin of a llama2.c model, to be copied, or a note that
// there is none.
func (p *plan) binTokenizer(ck *loader.Checkpoint) ([]file, error) {
	f := file{name: tokenizerFile, from: ck.FS(), as: tokenizerFile}
	path := tokenizerFile
	if t := p.options.Tokenizer; t != "" {
		path = t
		f.from, f.as = os.DirFS(filepath.Dir(t)), filepath.Base(t)
	} else if !isRegular(f.from, f.as) {
		p.notes = append(p.notes, "no "+tokenizerFile+" beside the source: one is needed to read and write text")
		return nil, nil
	}
	if err := checkTokenizer(f, path); err != nil {
		return nil, err
	}
	return []file{f}, nil
}

// checkTokenizer checks that f, which messages call path, looks like the tokenizer.bin of llama2.c: the length of
// the longest token (int32), and of each token score (float32), length (int32) and
// bytes, to the end of the file.
func checkTokenizer(f file, path string) error {
	info, err := fs.Stat(f.from, f.as)
	if err != nil {
		return failed(path, "open", err)
	}
	if !info.Mode().IsRegular() {
		return unsupported(path, "a tokenizer.bin of llama2.c expected, found no regular file")
	}
	in, err := f.from.Open(f.as)
	if err != nil {
		return failed(path, "open", err)
	}
	defer in.Close()
	n, err := countTokens(bufio.NewReader(in))
	switch {
	case errors.Is(err, errToken), errors.Is(err, io.ErrUnexpectedEOF), err == nil && n == 0:
		return unsupported(path, "a tokenizer.bin of llama2.c expected, found something else after %d tokens", n)
	case err != nil:
		return failed(path, "read", err)
	}
	return nil
}

// errToken says that a token is none.
var errToken = errors.New("no token")

// countTokens reads a tokenizer.bin and returns the number of its tokens, or of those
// before an error: errToken, io.ErrUnexpectedEOF or one of reading.
func countTokens(r *bufio.Reader) (n int, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:4]); err != nil {
		return 0, errors.Join(errToken, err)
	}
	longest := int32(binary.LittleEndian.Uint32(head[:]))
	if longest <= 0 || longest > maxTokenBytes {
		return 0, errToken
	}
	for ; ; n++ {
		if _, err := io.ReadFull(r, head[:]); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		score := math.Float32frombits(binary.LittleEndian.Uint32(head[:]))
		length := int32(binary.LittleEndian.Uint32(head[4:]))
		if score != score || length < 0 || length > longest {
			return n, errToken
		}
		if _, err := r.Discard(int(length)); err == io.EOF {
			return n, io.ErrUnexpectedEOF
		} else if err != nil {
			return n, err
		}
	}
}

// settle looks at files that exist already beside a .bin file that is written: the
// tokenizer of the source may be in its place, another one is in the way.
func (p *plan) settle(ck *loader.Checkpoint, out *stage) error {
	if out.whole {
		return nil // the directory was empty, or is cleared
	}
	var rest []file
	for _, f := range p.files {
		stays, err := f.settle(ck, out)
		if err != nil {
			return err
		}
		if !stays {
			rest = append(rest, f)
		}
	}
	p.files = rest
	return nil
}

// settle reports whether f is in its place already. What is in the way may be replaced
// with Overwrite, unless it belongs to the source.
func (f file) settle(ck *loader.Checkpoint, out *stage) (stays bool, err error) {
	path := filepath.Join(out.dir, f.name)
	there, err := os.Stat(path)
	if err != nil {
		return false, nil // move says why, if there is a reason
	}
	if is(f.from, f.as, there) {
		return true, nil
	}
	if is(ck.FS(), f.name, there) {
		if equal, err := f.equals(ck.FS(), f.name); equal || err != nil {
			return equal, err
		}
		return false, unusable(path, "it is the source's own and would be replaced by %s: give a destination in another directory", quote(f.as))
	}
	if !out.overwrite {
		return false, unusable(path, "exists already, and is not to be overwritten")
	}
	return false, nil
}

// is reports whether the file called name is the one that info describes.
func is(fsys fs.FS, name string, info fs.FileInfo) bool {
	own, err := fs.Stat(fsys, name)
	return err == nil && os.SameFile(own, info)
}

// equals reports whether the file of that name holds the same as f.
func (f file) equals(fsys fs.FS, name string) (bool, error) {
	a, err := fs.ReadFile(f.from, f.as)
	if err != nil {
		return false, failed(f.as, "read", err)
	}
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return false, failed(name, "read", err)
	}
	return bytes.Equal(a, b), nil
}
