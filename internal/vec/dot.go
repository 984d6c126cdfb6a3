package vec

// Lanes is the number of partial sums of every reduction.
const Lanes = 16

// Dot returns the inner product of a and b: lane j sums elements j, j+16, … in order,
// then lanes fold 16→8→4→2→1 by halves.
func Dot(a, b []float32) float32 {
	b = b[:len(a)]
	var lane [Lanes]float32
	full := len(a) &^ (Lanes - 1)
	if full > 0 {
		// Two passes of eight lanes: sixteen sums and two operands exceed the registers.
		dotLanes((*[8]float32)(lane[:8]), a[:full-8], b[:full-8])
		dotLanes((*[8]float32)(lane[8:]), a[8:full], b[8:full])
	}
	b = b[full:]
	for j, v := range a[full:] {
		lane[j] += float32(v * b[j])
	}
	return fold(&lane)
}

// dotLanes adds products of the first 8 of every 16 elements to the lanes; a and b end
// with those 8.
func dotLanes(lane *[8]float32, a, b []float32) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
		s4 += float32(x[4] * y[4])
		s5 += float32(x[5] * y[5])
		s6 += float32(x[6] * y[6])
		s7 += float32(x[7] * y[7])
		if len(a) < Lanes || len(b) < Lanes {
			break
		}
		a, b = a[Lanes:], b[Lanes:]
	}
	*lane = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// sum returns the sum of x in the lanes of Dot.
func sum(x []float32) float32 {
	var lane [Lanes]float32
	for len(x) >= Lanes {
		for j, v := range (*[Lanes]float32)(x) {
			lane[j] += v
		}
		x = x[Lanes:]
	}
	for j, v := range x {
		lane[j] += v
	}
	return fold(&lane)
}

// fold adds the lanes by halves.
func fold(lane *[Lanes]float32) float32 {
	for half := Lanes / 2; half > 0; half /= 2 {
		for i := range half {
			lane[i] += lane[i+half]
		}
	}
	return lane[0]
}
