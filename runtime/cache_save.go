package runtime

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"octet/internal/vec"
)

// saveChunk is about how many bytes are written at a time.
const saveChunk = 1 << 15

func (c *kvCache[T]) save(w io.Writer, n int) error {
	var buf []byte
	row := make([]T, c.headDim)
	for _, part := range []struct {
		row    func(row int) []T
		scales []float32
	}{
		{func(r int) []T { return c.gatherKey(row, r) }, c.kScales},
		{func(r int) []T { return c.v[r*c.headDim:][:c.headDim] }, c.vScales},
	} {
		for i := range c.heads * n {
			buf = appendValues(buf, part.row(c.savedRow(i, n)))
			if len(buf) < saveChunk {
				continue
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
		for h := 0; c.scaled && h < c.heads; h++ {
			buf = appendValues(buf, part.scales[h*c.room:][:n])
		}
	}
	_, err := w.Write(buf)
	return err
}

// savedRow is the cache's row of row i of a file with n positions.
func (c *kvCache[T]) savedRow(i, n int) int { return i/n*c.room + i%n }

// gatherKey sets x [headDim] to a row's key and returns it.
func (c *kvCache[T]) gatherKey(x []T, row int) []T {
	vec.Key(x, c.key(row))
	return x
}

// load takes the memory for all heads when the first head's rows are there.
func (c *kvCache[T]) load(r io.Reader, n int) error {
	c.room = roundUp(n, vec.KeyTile)
	for _, part := range []struct {
		data   *[]T
		set    func(row int, x []T)
		scales *[]float32
	}{
		{&c.k, func(row int, x []T) { vec.SetKey(c.key(row), x) }, &c.kScales},
		{&c.v, func(row int, x []T) { copy(c.v[row*c.headDim:], x) }, &c.vScales},
	} {
		for h := range c.heads {
			x, err := readValues[T](r, n*c.headDim)
			if err != nil {
				return err
			}
			if h == 0 {
				*part.data = make([]T, c.heads*c.room*c.headDim)
			}
			for i := range n {
				part.set(h*c.room+i, x[i*c.headDim:][:c.headDim])
			}
		}
		if err := c.loadScales(r, n, part.scales); err != nil {
			return err
		}
	}
	return nil
}

func (c *kvCache[T]) loadScales(r io.Reader, n int, to *[]float32) error {
	if !c.scaled {
		return nil
	}
	scales, err := readValues[float32](r, c.heads*n)
	if err == nil {
		*to = regrow(scales, c.heads, n, c.room)
	}
	return err
}

// appendValues appends x, little-endian.
func appendValues[T vec.Cached](b []byte, x []T) []byte {
	switch x := any(x).(type) {
	case []float32:
		for _, v := range x {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	case []uint16:
		for _, v := range x {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
	case []int8:
		for _, v := range x {
			b = append(b, byte(v))
		}
	}
	return b
}

// readValues reads n values. Its memory grows with what is read.
func readValues[T vec.Cached](r io.Reader, n int) ([]T, error) {
	var chunk [saveChunk]byte
	var x []T
	size := binary.Size(T(0))
	for len(x) < n {
		part := chunk[:size*min(n-len(x), len(chunk)/size)]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, err
		}
		at := len(x)
		x = slices.Grow(x, len(part)/size)[:at+len(part)/size]
		setValues(x[at:], part)
	}
	return x, nil
}

// setValues sets x to the values in b.
func setValues[T vec.Cached](x []T, b []byte) {
	switch x := any(x).(type) {
	case []float32:
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case []uint16:
		for i := range x {
			x[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
	case []int8:
		for i := range x {
			x[i] = int8(b[i])
		}
	}
}
