package vec

import "fmt"

// Largest returns the largest element of x. NaN counts as -Inf, which is also the result of
// an empty x.
func Largest(x []float32) float32 { return largestOf(x) }

func largestGeneric(x []float32, largest float32) float32 {
	for _, v := range x {
		if v > largest {
			largest = v
		}
	}
	return largest
}

// Weights sets dst to the weights e^((x-largest)*factor), 0 where x-largest is NaN, and returns
// their sum as [SumFrom] does. dst may be x.
//
// The sequence: x-largest rounded to float32, its product with factor in float64, rounded to
// float32, [Exp].
func Weights(dst, x []float32, largest float32, factor float64) float64 {
	var lane [Lanes]float64
	weights(&lane, dst[:len(x)], x, largest, factor)
	return foldWide(&lane)
}

func weightsGeneric(lane *[Lanes]float64, dst, x []float32, largest float32, factor float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		w := Exp(float32(float64(v-largest) * factor))
		if w != w {
			w = 0
		}
		dst[i] = w
		lane[i%Lanes] += float64(w)
	}
}

// SumFrom returns the sum of those elements of x that are at least least, in float64: 16
// lanes and their fold as in [Dot].
func SumFrom(x []float32, least float32) float64 {
	var lane [Lanes]float64
	sumFrom(&lane, x, least)
	return foldWide(&lane)
}

func sumFromGeneric(lane *[Lanes]float64, x []float32, least float32) {
	for i, v := range x {
		if v >= least {
			lane[i%Lanes] += float64(v)
		}
	}
}

// foldWide is fold of float64 lanes.
func foldWide(l *[Lanes]float64) float64 {
	even := ((l[0] + l[8]) + (l[4] + l[12])) + ((l[2] + l[10]) + (l[6] + l[14]))
	odd := ((l[1] + l[9]) + (l[5] + l[13])) + ((l[3] + l[11]) + (l[7] + l[15]))
	return even + odd
}

// Between copies the elements of x that are at least low and below high to the front of dst,
// in order, and returns how many they are. dst, which may be x, is as long as x or longer;
// what follows the copies there may change.
func Between(dst, x []float32, low, high float32) int {
	if len(dst) < len(x) {
		panic(fmt.Sprintf("vec: Between of %d values into %d", len(x), len(dst)))
	}
	return between(dst[:len(x)], x, low, high)
}

func betweenGeneric(dst, x []float32, low, high float32) int {
	n := 0
	for _, v := range x {
		if v >= low && v < high {
			dst[n] = v
			n++
		}
	}
	return n
}
