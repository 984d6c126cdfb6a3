//go:build (amd64 || arm64) && !purego

package vec

func largestOf(x []float32) float32 {
	done, largest := wholeBlocks(len(x)), -inf
	if done > 0 {
		largest = largestBlocks(first(x), done)
	}
	return largestGeneric(x[done:], largest)
}

func weights(lane *[Lanes]float64, dst, x []float32, largest float32, factor float64) {
	done := wholeBlocks(len(x))
	if done > 0 {
		weightsBlocks(lane, first(dst), first(x), done, largest, factor)
	}
	weightsGeneric(lane, dst[done:], x[done:], largest, factor)
}

func sumFrom(lane *[Lanes]float64, x []float32, least float32) {
	done := wholeBlocks(len(x))
	if done > 0 {
		sumFromBlocks(lane, first(x), done, least)
	}
	sumFromGeneric(lane, x[done:], least)
}

func between(dst, x []float32, low, high float32) int {
	done, n := wholeBlocks(len(x)), 0
	if done > 0 {
		n = betweenBlocks(first(dst), first(x), done, low, high)
	}
	return n + betweenGeneric(dst[n:], x[done:], low, high)
}
