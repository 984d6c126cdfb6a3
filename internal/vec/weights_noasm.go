//go:build !(amd64 || arm64) || purego

package vec

func largestOf(x []float32) float32 { return largestGeneric(x, -inf) }

func weights(lane *[Lanes]float64, dst, x []float32, largest float32, factor float64) {
	weightsGeneric(lane, dst, x, largest, factor)
}

func sumFrom(lane *[Lanes]float64, x []float32, least float32) { sumFromGeneric(lane, x, least) }

func between(dst, x []float32, low, high float32) int { return betweenGeneric(dst, x, low, high) }
