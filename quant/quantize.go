package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/x448/float16"
)

// maxQ is the largest |q| that is written.
const maxQ = 127

// Error measures what quantizing lost. The zero Error measures nothing.
type Error struct {
	SumSquares      float64 // Σ w²
	SumSquaredError float64 // Σ (w - q·scale)²
	Max             float64 // largest |w - q·scale|
	Count           int64   // number of weights
}

// Add makes e the measure of its own and o's weights together.
func (e *Error) Add(o Error) {
	e.SumSquares += o.SumSquares
	e.SumSquaredError += o.SumSquaredError
	e.Max = max(e.Max, o.Max)
	e.Count += o.Count
}

// Relative is the root of the squared error over the squares: 0 where all weights are 0.
func (e Error) Relative() float64 {
	if e.SumSquares == 0 {
		return 0
	}
	return math.Sqrt(e.SumSquaredError / e.SumSquares)
}

// NotFiniteError says where a weight was NaN or infinite.
type NotFiniteError struct {
	Row, Column int
	Value       float32
}

// Error implements error.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("quant: row %d, column %d: %v", e.Row, e.Column, e.Value)
}

// Quantize rounds a float matrix to int8, group inputs sharing a scale of the matrix's
// own element type. It returns a *NotFiniteError for a weight that is NaN or infinite.
func Quantize(p *Pool, d *Dense, group int) (*Matrix, error) {
	if err := checkGroup(d.cols, group); err != nil {
		return nil, err
	}
	size := d.values.Element.Size()
	t := &weightsTask{
		d: d, group: group,
		q:      make([]byte, d.rows*d.cols),
		scales: make([]byte, d.rows*(d.cols/group)*size),
	}
	p.Run(d.rows, rowChunk(d.rows, 8*d.cols, p.Threads(), 1), t)
	if t.err != nil {
		return nil, t.err
	}
	return NewMatrix(d.rows, d.cols, group, t.q, Floats{d.values.Element, t.scales})
}

// weightsTask quantizes weights. Items are rows.
type weightsTask struct {
	d         *Dense
	group     int
	q, scales []byte

	mu  sync.Mutex
	err *NotFiniteError // the one of the lowest row
}

// Do implements Task.
func (t *weightsTask) Do(_, lo, hi int) {
	cols := t.d.cols
	perRow := cols / t.group * t.d.values.Element.Size()
	_, err := QuantizeRows(t.q[lo*cols:hi*cols], t.scales[lo*perRow:hi*perRow],
		t.d.values.slice(lo*cols, hi*cols), cols, t.group)
	if bad, ok := err.(*NotFiniteError); ok {
		bad.Row += lo
		t.fail(bad)
	}
}

// fail keeps the error of the lowest row.
func (t *weightsTask) fail(err *NotFiniteError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil || err.Row < t.err.Row {
		t.err = err
	}
}

// QuantizeRows rounds whole rows of cols weights to int8: bytes q+128 [rows, cols] and
// scales [rows, cols/group] in w's element type, group inputs sharing a scale. It returns
// what that lost. Rows do not depend on each other, so that a caller can split a matrix.
//
// A weight that is NaN or infinite gives a *NotFiniteError, its row counted within w; the
// group size must divide cols. It panics when the lengths of q and scales do not fit w.
func QuantizeRows(q, scales []byte, w Floats, cols, group int) (Error, error) {
	if err := checkGroup(cols, group); err != nil {
		return Error{}, err
	}
	n, size := w.Len(), w.Element.Size()
	if n%cols != 0 || len(q) != n || len(scales) != n/group*size {
		panic(fmt.Sprintf("quant: %d weights of %d columns in groups of %d into %d bytes and %d bytes of scales",
			n, cols, group, len(q), len(scales)))
	}
	k := current.Load()
	var total Error
	values := groupValues.Get().(*[MaxGroup]float32)
	defer groupValues.Put(values)
	for g := range n / group {
		v := values[:group]
		w.Widen(v, g*group)
		largest := k.maxBits(v)
		if largest >= infBits {
			return total, notFinite(v, g*group, cols)
		}
		scale := weightScale(math.Float32frombits(largest), w.Element)
		putFloat(scales[g*size:], w.Element, scale)
		total.addGroup(k.roundWeights(q[g*group:][:group], v, scale), group)
	}
	return total, nil
}

// groupValues holds room for a group: kernels are called through pointers, so that on the
// stack it cannot be.
var groupValues = sync.Pool{New: func() any { return new([MaxGroup]float32) }}

// notFinite makes the error of the first such value of v, which starts at index from of a
// matrix and has one.
func notFinite(v []float32, from, cols int) *NotFiniteError {
	i := slices.IndexFunc(v, func(x float32) bool { return math.Float32bits(x)&signMask >= infBits })
	return &NotFiniteError{Row: (from + i) / cols, Column: (from + i) % cols, Value: v[i]}
}

// lostInGroup is what rounding a group lost. Sums are taken in four lanes, lane j of values
// j, j+4, …, and lanes are added by halves.
type lostInGroup struct {
	squares, squaredError, largest float64
}

// addGroup adds what a group of count weights lost.
func (e *Error) addGroup(l lostInGroup, count int) {
	e.SumSquares += l.squares
	e.SumSquaredError += l.squaredError
	e.Max = max(e.Max, l.largest)
	e.Count += int64(count)
}

// roundWeights sets q to the bytes of the values in steps of scale.
func roundWeights(q []byte, values []float32, scale float32) (lost lostInGroup) {
	q = q[:len(values)]
	var squares, squaredError [4]float64
	for i, v := range values {
		step := (v/scale + roundMagic) - roundMagic
		if step > maxQ {
			step = maxQ
		} else if step < -maxQ {
			step = -maxQ
		}
		q[i] = byte(int32(step) + 128)
		w := float64(v)
		diff := math.Abs(w - float64(float32(step*scale)))
		squares[i%4] += float64(w * w)
		squaredError[i%4] += float64(diff * diff)
		if diff > lost.largest {
			lost.largest = diff
		}
	}
	lost.squares = (squares[0] + squares[2]) + (squares[1] + squares[3])
	lost.squaredError = (squaredError[0] + squaredError[2]) + (squaredError[1] + squaredError[3])
	return lost
}

// weightScale is the scale of a group with the largest magnitude: a value of the element
// type, positive.
func weightScale(largest float32, element Element) float32 {
	if largest == 0 {
		return 1
	}
	scale := roundTo(largest/maxQ, element)
	if scale == 0 {
		return smallest(element)
	}
	return scale
}

// roundTo rounds a finite v ≥ 0 to the nearest value of the element type, half to even.
func roundTo(v float32, element Element) float32 {
	switch element {
	case BF16:
		bits := math.Float32bits(v)
		return math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
	case F16:
		return float16.Fromfloat32(v).Float32()
	}
	return v
}

// smallest is the smallest positive value of the element type.
func smallest(element Element) float32 {
	switch element {
	case BF16:
		return 0x1p-133
	case F16:
		return 0x1p-24
	}
	return math.SmallestNonzeroFloat32
}

// putFloat stores a value of the element type, little-endian.
func putFloat(dst []byte, element Element, v float32) {
	switch element {
	case F32:
		binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
	case BF16:
		binary.LittleEndian.PutUint16(dst, uint16(math.Float32bits(v)>>16))
	default:
		binary.LittleEndian.PutUint16(dst, float16.Fromfloat32(v).Bits())
	}
}
