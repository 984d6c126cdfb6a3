package vec

// Lanes is the number of partial sums of every reduction.
const Lanes = 16

// Dot returns the inner product of a and b: lane j sums elements j, j+16, … in order,
// then lanes fold 16→8→4→2→1 by halves.
func Dot(a, b []float32) float32 { return dot(a, b[:len(a)]) }

// dotGeneric is Dot in plain Go.
func dotGeneric(a, b []float32) float32 {
	b = b[:len(a)]
	var lane [Lanes]float32
	full := len(a) &^ (Lanes - 1)
	if full > 0 {
		// Four lanes in a pass: sums and products of more spill registers, which costs
		// more than reading a and b again.
		for j := 0; j < Lanes; j += 4 {
			end := full - Lanes + 4 + j
			dotLanes((*[4]float32)(lane[j:]), a[j:end], b[j:end])
		}
	}
	b = b[full:]
	for j, v := range a[full:] {
		lane[j] += float32(v * b[j])
	}
	return fold(&lane)
}

// dotLanes sets four lanes to the sums of products of the first 4 of every 16 elements; a
// and b end with those 4.
func dotLanes(lane *[4]float32, a, b []float32) {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i <= len(a)-4; i += Lanes {
		x, y := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
	}
	*lane = [4]float32{s0, s1, s2, s3}
}

// fold adds the lanes by halves: i and i+8, then i and i+4, i and i+2, 0 and 1.
func fold(l *[Lanes]float32) float32 {
	even := ((l[0] + l[8]) + (l[4] + l[12])) + ((l[2] + l[10]) + (l[6] + l[14]))
	odd := ((l[1] + l[9]) + (l[5] + l[13])) + ((l[3] + l[11]) + (l[7] + l[15]))
	return even + odd
}
