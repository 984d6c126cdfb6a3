package vec

import "math"

// Bounds of Exp: above expMax the result exceeds float32, below expMin it is subnormal.
const (
	expMax = 88.72283
	expMin = -87.33654
)

// Coefficients of Exp: log2(e); ln 2 in two parts, the first of 9 bits so that its
// product with an exponent is exact; and (eʳ-1-r)/r² on |r| ≤ ln(2)/2 (Cephes, expf).
const (
	log2e = 1.44269504088896341
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440e-4

	exp0 = 5.0000001201e-1
	exp1 = 1.6666665459e-1
	exp2 = 4.1665795894e-2
	exp3 = 8.3334519073e-3
	exp4 = 1.3981999507e-3
	exp5 = 1.9875691500e-4
)

var inf = float32(math.Inf(1))

// roundMagic is 1.5·2²³: adding and subtracting it rounds |x| < 2²² to an integer, half
// to even.
const roundMagic = 12582912

// Exp is eˣ by one polynomial, the same on every machine, within 1 ulp of the
// exact value. Results that would be subnormal (x < -87.33654) are 0; x > 88.72283 gives
// +Inf; NaN gives NaN; Exp(0) is 1.
//
// The sequence, each operation rounded to float32:
// n = round_half_even(x*log2e); r = (x - n*ln2Hi) - n*ln2Lo;
// p = exp5; p = p*r + exp4; …; p = p*r + exp0; y = (p*(r*r) + r) + 1; then n is added to
// the exponent of y.
func Exp(x float32) float32 {
	switch {
	case x > expMax:
		return inf
	case x < expMin:
		return 0
	case x != x:
		return x
	}
	n := (float32(x*log2e) + roundMagic) - roundMagic
	r := x - float32(n*ln2Hi)
	r -= float32(n * ln2Lo)
	p := float32(exp5*r) + exp4
	p = float32(p*r) + exp3
	p = float32(p*r) + exp2
	p = float32(p*r) + exp1
	p = float32(p*r) + exp0
	y := float32(p*float32(r*r)) + r + 1
	return math.Float32frombits(uint32(int32(math.Float32bits(y)) + int32(n)<<23))
}
