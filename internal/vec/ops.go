package vec

import "math"

// Add sets dst[i] += x[i].
func Add(dst, x []float32) { add(dst, x[:len(dst)]) }

func addGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

// RMSNorm sets dst to x / sqrt(mean(x²)+eps) * weight. dst may be x.
//
// The sequence, each operation rounded to float32: sum = Dot(x, x); mean = sum/n;
// root = sqrt(mean + eps); scale = 1/root; dst[i] = (x[i]*scale) * weight[i].
func RMSNorm(dst, x, weight []float32, eps float32) {
	mean := Dot(x, x) / float32(len(x))
	// The float64 root of a float32, rounded to float32, is the float32 root.
	root := float32(math.Sqrt(float64(mean + eps)))
	mulScale(dst[:len(x)], x, weight[:len(x)], 1/root)
}

// mulScaleGeneric sets dst[i] = (x[i]*scale) * weight[i].
func mulScaleGeneric(dst, x, weight []float32, scale float32) {
	dst, weight = dst[:len(x)], weight[:len(x)]
	for i, v := range x {
		dst[i] = float32(v*scale) * weight[i]
	}
}

// Rotate turns the pairs (a[i], b[i]): a = a*cos - b*sin and b = b*cos + a*sin, each
// operation rounded.
func Rotate(a, b, cos, sin []float32) { rotate(a, b[:len(a)], cos[:len(a)], sin[:len(a)]) }

func rotateGeneric(a, b, cos, sin []float32) {
	b, cos, sin = b[:len(a)], cos[:len(a)], sin[:len(a)]
	for i, c := range cos {
		s, u, v := sin[i], a[i], b[i]
		a[i] = float32(u*c) - float32(v*s)
		b[i] = float32(v*c) + float32(u*s)
	}
}

// Softmax replaces x by exp(x-max)/sum, the sum in the lanes of Dot, then a division for
// each element. An element of -Inf becomes 0. If an element is NaN or +Inf, or all are
// -Inf, every element becomes NaN. An empty x stays empty.
func Softmax(x []float32) { ScaledSoftmax(x, 1) }

// ScaledSoftmax is Softmax of scale*x, each product rounded.
func ScaledSoftmax(x []float32, scale float32) {
	if len(x) == 0 {
		return
	}
	var lane [Lanes]float32
	expSum(&lane, x, scaleMax(x, scale))
	divide(x, fold(&lane))
}

// scaleMaxGeneric replaces x by scale*x and returns the largest product, or largest if
// that is larger. It may take any number for the largest where x holds NaN.
func scaleMaxGeneric(x []float32, scale, largest float32) float32 {
	for i, v := range x {
		x[i] = float32(v * scale)
		if x[i] > largest {
			largest = x[i]
		}
	}
	return largest
}

// expSumGeneric replaces x by Exp(x-largest) and adds the results to the lanes.
func expSumGeneric(lane *[Lanes]float32, x []float32, largest float32) {
	for i, v := range x {
		x[i] = Exp(v - largest)
		lane[i%Lanes] += x[i]
	}
}

func divideGeneric(x []float32, divisor float32) {
	for i, v := range x {
		x[i] = v / divisor
	}
}

// SiLUMul sets dst[i] = silu(gate[i]) * up[i], silu(x) = x / (1 + exp(-x)), each operation
// rounded. dst may be gate or up.
func SiLUMul(dst, gate, up []float32) { siluMul(dst, gate[:len(dst)], up[:len(dst)]) }

func siluMulGeneric(dst, gate, up []float32) {
	gate, up = gate[:len(dst)], up[:len(dst)]
	for i, x := range gate {
		dst[i] = float32(x/(1+Exp(-x))) * up[i]
	}
}

// Mul sets dst[i] *= x[i].
func Mul(dst, x []float32) {
	mulScale(dst, dst, x[:len(dst)], 1) // a product with 1 is exact
}
