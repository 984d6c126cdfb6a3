package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/nlpodyssey/safetensors"
)

// tensor is an array on its way into a safetensors file: int64 [n] or float32 [rows, cols].
// It implements safetensors.View, and becomes bytes only when it is written.
type tensor struct {
	ints   []int     // [n]
	floats []float32 // [rows, cols]
	cols   int
}

func int64Tensor(x []int) tensor { return tensor{ints: x} }

// appendRows returns t with the rows of x [n, cols] below its own.
func (t tensor) appendRows(x []float32, cols int) tensor {
	return tensor{floats: append(t.floats, x...), cols: cols}
}

// DType is the type of the elements.
func (t tensor) DType() safetensors.DType {
	if t.cols == 0 {
		return safetensors.I64
	}
	return safetensors.F32
}

// Shape is [n], or [rows, cols].
func (t tensor) Shape() []uint64 {
	if t.cols == 0 {
		return []uint64{uint64(len(t.ints))}
	}
	return []uint64{uint64(len(t.floats) / t.cols), uint64(t.cols)}
}

// Data returns the elements, little-endian.
func (t tensor) Data() []byte {
	out := make([]byte, 0, t.DataLen())
	for _, v := range t.ints {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	for _, v := range t.floats {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// DataLen is the number of bytes of Data.
func (t tensor) DataLen() uint64 { return uint64(8*len(t.ints) + 4*len(t.floats)) }

func writeTensors(w io.Writer, tensors map[string]tensor) error {
	return safetensors.SerializeToWriter(tensors, nil, w)
}

// replaceFile writes the file at path by way of a temporary one beside it, so that it is
// never half written under its own name. A device or a pipe is written to as it is.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeFile(path, os.O_WRONLY, write)
	}
	temporary := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	if err := writeFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			os.Remove(temporary)
		}
		return err
	}
	return os.Rename(temporary, path)
}

func writeFile(path string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return err
	}
	return cmp.Or(write(f), f.Close())
}
