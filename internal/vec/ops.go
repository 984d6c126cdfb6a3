package vec

import "math"

// Add sets dst[i] += x[i].
func Add(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

// AddScaled sets dst[i] += s*x[i], rounded after each operation.
func AddScaled(dst []float32, s float32, x []float32) { addScaledGeneric(dst, s, x) }

// addScaledGeneric is AddScaled in plain Go.
func addScaledGeneric(dst []float32, s float32, x []float32) {
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

// RMSNorm sets dst to x / sqrt(mean(x²)+eps) * weight. dst may be x.
//
// The sequence, each operation rounded to float32: sum = Dot(x, x); mean = sum/n;
// root = sqrt(mean + eps); scale = 1/root; dst[i] = (x[i]*scale) * weight[i].
func RMSNorm(dst, x, weight []float32, eps float32) {
	dst, weight = dst[:len(x)], weight[:len(x)]
	mean := Dot(x, x) / float32(len(x))
	// The float64 root of a float32, rounded to float32, is the float32 root.
	root := float32(math.Sqrt(float64(mean + eps)))
	scale := 1 / root
	for i, v := range x {
		dst[i] = float32(v*scale) * weight[i]
	}
}

// Softmax replaces x by exp(x-max)/sum, the sum in the lanes of Dot, then a division for
// each element. An element of -Inf becomes 0. If an element is NaN or +Inf, or all are
// -Inf, every element becomes NaN. An empty x stays empty.
func Softmax(x []float32) {
	if len(x) == 0 {
		return
	}
	largest := x[0]
	for _, v := range x[1:] {
		if v > largest {
			largest = v
		}
	}
	for i, v := range x {
		x[i] = Exp(v - largest)
	}
	total := sum(x)
	for i, v := range x {
		x[i] = v / total
	}
}

// SiLUMul sets dst[i] = silu(gate[i]) * up[i], silu(x) = x / (1 + exp(-x)), each operation
// rounded. dst may be gate or up.
func SiLUMul(dst, gate, up []float32) {
	gate, up = gate[:len(dst)], up[:len(dst)]
	for i, x := range gate {
		dst[i] = float32(x/(1+Exp(-x))) * up[i]
	}
}
