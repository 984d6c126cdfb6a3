package quant

import (
	"fmt"

	"octet/internal/vec"
)

// Linear is the weight of a linear layer, float or int8.
type Linear interface {
	// Size returns the number of outputs and of inputs.
	Size() (rows, cols int)
	// Row widens (dequantizes) row r into dst [cols]: an embedding lookup.
	Row(dst []float32, r int)
	// Mul sets dst [n, rows] to the product of in [n, cols] with the matrix transposed.
	// It allocates nothing once in has grown. dst must not overlap the input.
	Mul(p *Pool, dst []float32, in *Input)
	// Bytes is what one product reads: values and scales.
	Bytes() int64
}

// rowSource is a Linear whose product is taken in float32.
type rowSource interface {
	Linear
	// row returns row r as float32, in scratch [cols] or in place.
	row(scratch []float32, r int) []float32
}

// floatRows is how many widened rows meet a batch of tokens together: the tokens are read
// once for all of them.
const floatRows = 4

// floatTask multiplies rows of weights with all tokens, in float32. Items are rows.
type floatTask struct {
	weights rowSource
	rows    int
	cols    int
	n       int
	x       []float32   // [n, cols]
	dst     []float32   // [n, rows]
	scratch [][]float32 // for each worker [floatRows, cols]
}

// Do implements Task.
func (t *floatTask) Do(w, lo, hi int) {
	for ; lo < hi; lo += floatRows {
		t.block(t.scratch[w], lo, min(lo+floatRows, hi))
	}
}

// block multiplies at most floatRows rows with all tokens.
func (t *floatTask) block(scratch []float32, lo, hi int) {
	var rows [floatRows][]float32
	for r := lo; r < hi; r++ {
		rows[r-lo] = t.weights.row(scratch[(r-lo)*t.cols:][:t.cols], r)
	}
	for i := range t.n {
		x := t.x[i*t.cols:][:t.cols]
		dst := t.dst[i*t.rows+lo : i*t.rows+hi]
		for r := range dst {
			dst[r] = vec.Dot(rows[r], x)
		}
	}
}

// mulFloat runs the float product of weights over the pool.
func mulFloat(p *Pool, dst []float32, in *Input, weights rowSource) {
	rows, cols := weights.Size()
	t := &in.float
	t.weights, t.rows, t.cols = weights, rows, cols
	t.n, t.x, t.dst = in.n, in.x, dst
	t.scratch = growAll(t.scratch, p.Threads(), floatRows*cols)
	p.Run(rows, rowChunk(rows, cols*in.n, p.Threads(), floatRows), t)
	t.weights, t.x, t.dst = nil, nil, nil
}

// minChunk is the least number of multiply-adds worth handing to another worker.
const minChunk = 1 << 14

// rowChunk is the number of rows in a chunk of work, a multiple of block, for rows that
// take cost multiply-adds each: four chunks a worker where they are not too small.
func rowChunk(rows, cost, threads, block int) int {
	if threads == 1 {
		return max(rows, 1)
	}
	chunk := max(rows/(4*threads), minChunk/max(cost, 1), 1)
	return (chunk + block - 1) / block * block
}

// checkProduct panics where a product's operands do not fit.
func checkProduct(rows, cols int, dst []float32, in *Input) {
	if in.cols != cols || len(dst) < in.n*rows {
		panic(fmt.Sprintf("quant: matrix [%d, %d] with input [%d, %d] into %d values",
			rows, cols, in.n, in.cols, len(dst)))
	}
}

// grow returns s with length n, reallocated only to grow; its contents are lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// growAll returns one slice of length n for each worker.
func growAll[T any](s [][]T, workers, n int) [][]T {
	for len(s) < workers {
		s = append(s, nil)
	}
	for w := range s {
		s[w] = grow(s[w], n)
	}
	return s
}
