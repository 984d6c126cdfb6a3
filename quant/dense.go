package quant

import (
	"fmt"

	"octet/internal/vec"
)

// Dense is a float matrix in its stored type. It implements Linear.
type Dense struct {
	rows, cols int
	values     Floats // [rows, cols]
}

// NewDense returns the matrix [rows, cols] over values, which it keeps. It is an error
// when they are not rows·cols values.
func NewDense(rows, cols int, values Floats) (*Dense, error) {
	if err := checkShape(rows, cols); err != nil {
		return nil, err
	}
	if err := checkFloats("values", values, rows, cols); err != nil {
		return nil, err
	}
	return &Dense{rows: rows, cols: cols, values: values}, nil
}

// Size returns the number of outputs and of inputs.
func (d *Dense) Size() (rows, cols int) { return d.rows, d.cols }

// Bytes is what one product reads.
func (d *Dense) Bytes() int64 { return int64(len(d.values.Data)) }

// Element is the stored type.
func (d *Dense) Element() Element { return d.values.Element }

// Row widens row r into dst [cols].
func (d *Dense) Row(dst []float32, r int) { d.values.Widen(dst[:d.cols], r*d.cols) }

// Mul sets dst [n, rows] to the product of in [n, cols] with the matrix transposed.
func (d *Dense) Mul(p *Pool, dst []float32, in *Input) { mulOne(p, in, d, dst) }

// start implements Linear.
func (d *Dense) start(p *Pool, dst []float32, in *Input) (Task, int) {
	checkProduct(d.rows, d.cols, dst, in)
	return startFloat(p, dst, in, d)
}

// rows32 returns rows lo … hi-1, in place where they are stored as float32.
func (d *Dense) rows32(scratch []float32, lo, hi int) []float32 {
	n := (hi - lo) * d.cols
	if stored := d.values.float32s(lo*d.cols, n); stored != nil {
		return stored
	}
	d.values.Widen(scratch[:n], lo*d.cols)
	return scratch[:n]
}

// mulStored widens in registers.
func (d *Dense) mulStored(dst, x []float32, lo int) bool {
	if !vec.Vectorized() {
		return false
	}
	from, n := lo*d.cols, len(dst)*d.cols
	switch d.values.Element {
	case BF16:
		vec.DotsBF16(dst, d.values.slice(from, from+n).Data, x)
	case F16:
		vec.DotsF16(dst, d.values.slice(from, from+n).Data, x)
	default:
		stored := d.values.float32s(from, n)
		if stored == nil {
			return false
		}
		vec.DotsF32(dst, stored, x)
	}
	return true
}

// checkShape refuses shapes that are not positive or so large that counting their bytes
// would overflow.
func checkShape(rows, cols int) error {
	const most = 1 << 28
	if rows <= 0 || cols <= 0 || rows > most || cols > most {
		return fmt.Errorf("quant: shape [%d, %d]: 1 to %d rows and columns expected", rows, cols, most)
	}
	return nil
}

// checkFloats refuses values whose bytes are not those of [rows, cols].
func checkFloats(what string, f Floats, rows, cols int) error {
	if f.Element > F16 {
		return fmt.Errorf("quant: %s: F32, BF16 or F16 expected, found %v", what, f.Element)
	}
	want := int64(rows) * int64(cols) * int64(f.Element.Size())
	if int64(len(f.Data)) != want {
		return fmt.Errorf("quant: %s: %d bytes expected for %s [%d, %d], found %d",
			what, want, f.Element, rows, cols, len(f.Data))
	}
	return nil
}
