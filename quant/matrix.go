package quant

import "fmt"

// MaxGroup is the largest number of inputs that share a scale: the dot product of a group
// fits in an int32.
const MaxGroup = 128

// Matrix is an int8 group-quantized matrix. It implements Linear.
type Matrix struct {
	rows, cols, group int
	data              []byte // q+128 [rows, cols]
	scales            Floats // [rows, cols/group]
}

// NewMatrix returns the matrix over data (bytes q+128, [rows, cols]) and scales
// [rows, cols/group]; it keeps both. 1 ≤ group ≤ MaxGroup and group divides cols. It is an
// error when the shapes and lengths do not agree.
func NewMatrix(rows, cols, group int, data []byte, scales Floats) (*Matrix, error) {
	if err := checkShape(rows, cols); err != nil {
		return nil, err
	}
	if err := checkGroup(cols, group); err != nil {
		return nil, err
	}
	if int64(len(data)) != int64(rows)*int64(cols) {
		return nil, fmt.Errorf("quant: data: %d bytes expected for [%d, %d], found %d",
			int64(rows)*int64(cols), rows, cols, len(data))
	}
	if err := checkFloats("scales", scales, rows, cols/group); err != nil {
		return nil, err
	}
	return &Matrix{rows: rows, cols: cols, group: group, data: data, scales: scales}, nil
}

// Size returns the number of outputs and of inputs.
func (m *Matrix) Size() (rows, cols int) { return m.rows, m.cols }

// Group is the number of inputs that share a scale.
func (m *Matrix) Group() int { return m.group }

// Data returns the bytes q+128 [rows, cols]: the matrix's own, to be read only.
func (m *Matrix) Data() []byte { return m.data }

// Scales returns the scales [rows, cols/group]: the matrix's own, to be read only.
func (m *Matrix) Scales() Floats { return m.scales }

// Bytes is what one product reads: values and scales.
func (m *Matrix) Bytes() int64 { return int64(len(m.data)) + int64(len(m.scales.Data)) }

// Row dequantizes row r into dst [cols]: float32(q)*scale, rounded once.
func (m *Matrix) Row(dst []float32, r int) {
	dst = dst[:m.cols]
	data := m.data[r*m.cols:][:m.cols]
	var scale [1]float32
	for g := range m.cols / m.group {
		m.scales.Widen(scale[:], r*(m.cols/m.group)+g)
		for i, b := range data[g*m.group:][:m.group] {
			dst[g*m.group+i] = float32(int32(b)-128) * scale[0]
		}
	}
}

// Mul sets dst [n, rows] to the product of in [n, cols] with the matrix transposed, its
// inputs treated as in's Activations say.
func (m *Matrix) Mul(p *Pool, dst []float32, in *Input) { mulOne(p, in, m, dst) }

// start implements Linear.
func (m *Matrix) start(p *Pool, dst []float32, in *Input) (Task, int) {
	checkProduct(m.rows, m.cols, dst, in)
	if in.mode == Float {
		return startFloat(p, dst, in, m)
	}
	k := kernelFor(m)
	t := in.groupTask()
	*t = groupTask{kernel: k, m: m, dst: dst, x: in.quantized(p, k, m.group), scratch: in.scratches(p)}
	return t, k.rows
}

// rows32 dequantizes rows lo … hi-1.
func (m *Matrix) rows32(scratch []float32, lo, hi int) []float32 {
	for r := lo; r < hi; r++ {
		m.Row(scratch[(r-lo)*m.cols:][:m.cols], r)
	}
	return scratch[:(hi-lo)*m.cols]
}

// mulStored leaves dequantization to rows32.
func (m *Matrix) mulStored(_, _ []float32, _ int) bool { return false }

// groupTask multiplies rows of an int8 matrix with all tokens. Items are rows.
type groupTask struct {
	kernel  *kernel
	m       *Matrix
	x       *tokens
	dst     []float32 // [n, rows]
	scratch []scratch // for each worker
}

// Do implements Task.
func (t *groupTask) Do(w, lo, hi int) { t.kernel.mul(t.m, t.x, t.dst, lo, hi, &t.scratch[w]) }

// checkGroup refuses group sizes that do not divide the columns or are out of range.
func checkGroup(cols, group int) error {
	if group < 1 || group > MaxGroup || cols < group || cols%group != 0 {
		return fmt.Errorf("quant: group size %d: 1 to %d and a divisor of %d columns expected", group, MaxGroup, cols)
	}
	return nil
}
