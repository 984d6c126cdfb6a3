// Package vec holds float32 vector primitives whose results are the same bits on every
// machine: sums run in 16 lanes that are folded by halves, and no product is fused with
// an addition.
package vec

// Dot returns the inner product of a and b: lane j sums elements j, j+16, … in order,
// then lanes fold 16→8→4→2→1 by halves.
func Dot(a, b []float32) float32 { panic("vec") }

// Add sets dst[i] += x[i].
func Add(dst, x []float32) { panic("vec") }

// AddScaled sets dst[i] += s*x[i], rounded after each operation.
func AddScaled(dst []float32, s float32, x []float32) { panic("vec") }

// RMSNorm sets dst to x / sqrt(mean(x²)+eps) * weight. dst may be x.
func RMSNorm(dst, x, weight []float32, eps float32) { panic("vec") }

// Softmax replaces x by exp(x-max)/sum.
func Softmax(x []float32) { panic("vec") }

// SiLUMul sets dst[i] = silu(gate[i]) * up[i]. dst may be gate or up.
func SiLUMul(dst, gate, up []float32) { panic("vec") }

// Exp is eˣ by one polynomial, the same on every machine.
func Exp(x float32) float32 { panic("vec") }

// Sincos returns sin x and cos x, the same on every machine (math's may be fused);
// |x| ≤ 2^30, absolute error below 1e-15.
func Sincos(x float64) (sin, cos float64) { panic("vec") }
