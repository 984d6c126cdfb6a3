package vec

import "math"

// pi/2 in four parts. The first three have at most 23 bits, so that their products with
// a quadrant number below 2³⁰ are exact; the fourth is the rest, to 2⁻¹²⁵.
const (
	halfPi1 = 0x1.921fb4p+0
	halfPi2 = 0x1.4442d0p-24
	halfPi3 = 0x1.846988p-48
	halfPi4 = 0x1.8cc51701b839ap-72
)

// Coefficients of (sin r - r)/r³ and (cos r - 1 + r²/2)/r⁴ in r² on |r| ≤ pi/4 (fdlibm,
// k_sin.c and k_cos.c).
const (
	sin0 = -1.66666666666666324348e-01
	sin1 = 8.33333333332248946124e-03
	sin2 = -1.98412698298579493134e-04
	sin3 = 2.75573137070700676789e-06
	sin4 = -2.50507602534068634195e-08
	sin5 = 1.58969099521155010221e-10

	cos0 = 4.16666666666666019037e-02
	cos1 = -1.38888888888741095749e-03
	cos2 = 2.48015872894767294178e-05
	cos3 = -2.75573143513906633035e-07
	cos4 = 2.08757232129817482790e-09
	cos5 = -1.13596475577881948265e-11
)

// sincosLimit is the largest |x| of Sincos.
const sincosLimit = 1 << 30

// Sincos returns sin x and cos x, the same on every machine (math's may be fused);
// |x| ≤ 2^30, absolute error below 1e-15. Beyond that, and for NaN, both are NaN.
func Sincos(x float64) (sin, cos float64) {
	if !(math.Abs(x) <= sincosLimit) {
		return math.NaN(), math.NaN()
	}
	n := math.RoundToEven(x * (2 / math.Pi))
	// Exact but for the last bits of the third difference and the fourth product.
	r := x - float64(n*halfPi1)
	r -= float64(n * halfPi2)
	r -= float64(n * halfPi3)
	r -= float64(n * halfPi4)
	sin, cos = sinPoly(r), cosPoly(r)
	switch int64(n) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

// sinPoly is sin r for |r| ≤ pi/4, Horner's scheme with every product rounded.
func sinPoly(r float64) float64 {
	z := float64(r * r)
	p := float64(sin5*z) + sin4
	p = float64(p*z) + sin3
	p = float64(p*z) + sin2
	p = float64(p*z) + sin1
	p = float64(p*z) + sin0
	return r + float64(r*float64(z*p))
}

// cosPoly is cos r for |r| ≤ pi/4. What 1 - r²/2 loses in rounding is added to the small
// terms.
func cosPoly(r float64) float64 {
	z := float64(r * r)
	p := float64(cos5*z) + cos4
	p = float64(p*z) + cos3
	p = float64(p*z) + cos2
	p = float64(p*z) + cos1
	p = float64(p*z) + cos0
	half := float64(0.5 * z)
	w := 1 - half
	lost := (1 - w) - half
	return w + (lost + float64(z*float64(z*p)))
}
