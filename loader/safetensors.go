package loader

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"math/bits"
	"sort"

	"github.com/nlpodyssey/safetensors"
)

const (
	maxHeader  = 100_000_000 // bytes, the limit of the safetensors format
	maxTensors = 1 << 18     // in a file; the models with most experts have 1 << 17 in all files
	maxRank    = 16          // dimensions of a tensor; real ones have up to 5
)

// parseSafetensors returns the tensors of a safetensors file, without copying: their
// Data are slices of b. checkHeader runs first because the safetensors package trusts
// sums of offsets, which can wrap, and because its errors name neither tensor nor size.
func parseSafetensors(file string, b []byte) ([]Tensor, error) {
	if err := checkHeader(file, b); err != nil {
		return nil, err
	}
	st, err := safetensors.Deserialize(b)
	if err != nil {
		return nil, damaged(file, "%w", err)
	}
	views := st.Tensors()
	tensors := make([]Tensor, len(views))
	for i, v := range views {
		dtype, _ := parseDType(v.TensorView.DType().String())
		tensors[i] = Tensor{
			Name:  v.Name,
			DType: dtype,
			Shape: toInts(v.TensorView.Shape()),
			Data:  v.TensorView.Data(),
			File:  file,
		}
	}
	return tensors, nil
}

// toInts converts a shape that checkShape has accepted.
func toInts(shape []uint64) []int {
	ints := make([]int, len(shape))
	for i, d := range shape {
		ints[i] = int(d)
	}
	return ints
}

// entry is a tensor in the header of a safetensors file.
type entry struct {
	name    string
	DType   string    `json:"dtype"`
	Shape   []uint64  `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"` // begin and end within the data
}

// checkHeader checks a whole safetensors file but for the tensors' values: every tensor
// of known type, with as many bytes as its shape needs, one after the other, without
// gap or overlap, to the last byte of the file.
func checkHeader(file string, b []byte) error {
	header, err := splitHeader(file, b)
	if err != nil {
		return err
	}
	entries, err := parseHeader(file, header)
	if err != nil {
		return err
	}
	dataLen := uint64(len(b) - 8 - len(header))
	for _, e := range entries {
		if err := checkEntry(file, e, dataLen); err != nil {
			return err
		}
	}
	return checkCoverage(file, entries, dataLen)
}

// splitHeader returns the JSON header of a safetensors file.
func splitHeader(file string, b []byte) ([]byte, error) {
	if len(b) < 8 {
		return nil, damaged(file, "at least 8 bytes expected, found %d", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > maxHeader {
		return nil, damaged(file, "header of at most %d bytes expected, its length field says %d", maxHeader, n)
	}
	if n > uint64(len(b)-8) {
		return nil, damaged(file, "header of %d bytes expected, %d bytes follow its length field", n, len(b)-8)
	}
	return b[8 : 8+n], nil
}

// parseHeader reads the header entry by entry, so that memory stays in proportion to
// the tensors, whatever else it holds.
func parseHeader(file string, header []byte) ([]entry, error) {
	dec := json.NewDecoder(bytes.NewReader(header))
	if tok, err := dec.Token(); err != nil {
		return nil, damaged(file, "header: %w", err)
	} else if tok != json.Delim('{') {
		return nil, damaged(file, "header: a JSON object expected, found %v", tok)
	}
	var entries []entry
	seen := make(map[string]bool)
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, damaged(file, "header: %w", err)
		}
		name, _ := tok.(string)
		if seen[name] {
			return nil, damaged(file, "header: tensor %s is there twice", quote(name))
		}
		seen[name] = true
		e, err := parseEntry(file, dec, name)
		if err != nil {
			return nil, err
		}
		if e != nil {
			entries = append(entries, *e)
		}
		if len(entries) > maxTensors {
			return nil, unsupported(file, "header: more than %d tensors", maxTensors)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, damaged(file, "header: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, damaged(file, "header: nothing expected after the JSON object")
	}
	return entries, nil
}

// parseEntry reads the value that belongs to name; nil for the file's metadata.
func parseEntry(file string, dec *json.Decoder, name string) (*entry, error) {
	if name == "__metadata__" {
		var meta map[string]string
		if err := dec.Decode(&meta); err != nil {
			return nil, damaged(file, "header: __metadata__: %w", err)
		}
		return nil, nil
	}
	e := &entry{name: name}
	if err := dec.Decode(e); err != nil {
		return nil, damaged(file, "tensor %s: %w", quote(name), err)
	}
	return e, nil
}

// checkEntry checks one tensor by itself.
func checkEntry(file string, e entry, dataLen uint64) error {
	dtype, ok := parseDType(e.DType)
	if !ok {
		return unsupported(file, "tensor %s: dtype %s", quote(e.name), quote(e.DType))
	}
	want, err := byteSize(file, e, dtype)
	if err != nil {
		return err
	}
	begin, end := e.Offsets[0], e.Offsets[1]
	if begin > end || end > dataLen {
		return damaged(file, "tensor %s: data_offsets [%d, %d] outside of the %d bytes of data",
			quote(e.name), begin, end, dataLen)
	}
	if end-begin != want {
		return damaged(file, "tensor %s: %d bytes expected for %s %s, data_offsets give %d",
			quote(e.name), want, dtype, shapeString(e.Shape), end-begin)
	}
	return nil
}

// byteSize is the number of bytes that the tensor's shape needs.
func byteSize(file string, e entry, dtype DType) (uint64, error) {
	if len(e.Shape) > maxRank {
		return 0, unsupported(file, "tensor %s: at most %d dimensions expected, found %d",
			quote(e.name), maxRank, len(e.Shape))
	}
	n := uint64(dtype.Size())
	for _, d := range e.Shape {
		hi, lo := bits.Mul64(n, d)
		if hi != 0 || lo > math.MaxInt || d > math.MaxInt {
			return 0, damaged(file, "tensor %s: shape %s is too large for %s", quote(e.name), shapeString(e.Shape), dtype)
		}
		n = lo
	}
	return n, nil
}

// checkCoverage checks that the tensors lie one after the other and fill the data.
func checkCoverage(file string, entries []entry, dataLen uint64) error {
	sort.Slice(entries, func(i, j int) bool {
		a, b := entries[i].Offsets, entries[j].Offsets
		return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	})
	var end uint64
	for _, e := range entries {
		if e.Offsets[0] != end {
			return damaged(file, "tensor %s: data expected at offset %d (where the tensor before it ends), data_offsets give %d",
				quote(e.name), end, e.Offsets[0])
		}
		end = e.Offsets[1]
	}
	if end != dataLen {
		return damaged(file, "%d bytes of data expected from the header, found %d", end, dataLen)
	}
	return nil
}
