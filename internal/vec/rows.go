package vec

import "fmt"

// Dots sets dst[j*stride+i] to Dot of row i of a [rows, cols] and row j of b [n, cols].
// dst must not overlap a or b.
func Dots(dst []float32, stride int, a, b []float32, cols int) {
	rows, n := len(a)/cols, len(b)/cols
	if rows == 0 || n == 0 {
		return
	}
	if len(dst) < (n-1)*stride+rows || n > 1 && stride < rows {
		panic(fmt.Sprintf("vec: Dots of %d and %d rows into %d values, stride %d", rows, n, len(dst), stride))
	}
	dots(dst, stride, a[:rows*cols], b[:n*cols], cols)
}

// DotsF32 sets dst[r] to Dot of x and row r of a [len(dst), len(x)]. Unlike Dots it takes rows
// to come from memory.
func DotsF32(dst, a, x []float32) {
	if len(a) != len(dst)*len(x) {
		panic(fmt.Sprintf("vec: product of %d values with %d into %d", len(a), len(x), len(dst)))
	}
	dotsF32(dst, a, x)
}

// dotsGeneric is Dots in plain Go.
func dotsGeneric(dst []float32, stride int, a, b []float32, cols int) {
	for j := 0; j*cols < len(b); j++ {
		for i := 0; i*cols < len(a); i++ {
			dst[j*stride+i] = dotGeneric(a[i*cols:][:cols], b[j*cols:][:cols])
		}
	}
}

// Weigh adds to every row j of dst [rows, cols] the sum of w[j*stride+i] * v[i] over the
// rows of v [n, cols], in order, each operation rounded. dst must not overlap w or v.
func Weigh(dst, w []float32, stride int, v []float32, cols int) {
	WeighColumns(dst, w, stride, v, cols, 0, cols)
}

// WeighColumns is Weigh of columns lo … hi-1 of dst and v; the others stay.
func WeighColumns(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	rows, n := checkWeigh(len(dst)/cols, len(v)/cols, len(w), stride, cols, lo, hi)
	if rows > 0 {
		weigh(dst[:rows*cols], w, stride, v[:n*cols], cols, lo, hi)
	}
}

// checkWeigh panics where rows sums of n rows do not fit the weights or the columns, and
// returns 0 rows where there is nothing to add.
func checkWeigh(rows, n, weights, stride, cols, lo, hi int) (int, int) {
	if lo < 0 || hi > cols {
		panic(fmt.Sprintf("vec: Weigh of columns %d to %d of %d", lo, hi, cols))
	}
	if rows == 0 || n == 0 || lo >= hi {
		return 0, 0
	}
	if weights < (rows-1)*stride+n {
		panic(fmt.Sprintf("vec: Weigh of %d rows for %d sums with %d weights, stride %d", n, rows, weights, stride))
	}
	return rows, n
}

// weighGeneric is WeighColumns in plain Go.
func weighGeneric(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	for j := 0; j*cols < len(dst); j++ {
		for i := 0; i*cols < len(v); i++ {
			addScaled(dst[j*cols+lo:j*cols+hi], w[j*stride+i], v[i*cols+lo:i*cols+hi])
		}
	}
}

// addScaled sets dst[i] += s*x[i], rounded after each operation.
func addScaled(dst []float32, s float32, x []float32) {
	x = x[:len(dst)]
	for len(dst) >= 4 && len(x) >= 4 {
		d, v := (*[4]float32)(dst), (*[4]float32)(x)
		d[0] += float32(s * v[0])
		d[1] += float32(s * v[1])
		d[2] += float32(s * v[2])
		d[3] += float32(s * v[3])
		dst, x = dst[4:], x[4:]
	}
	for i := range dst {
		dst[i] += float32(s * x[i])
	}
}
