package sampler

import "octet/internal/vec"

// blockSize is how many neighbors have one maximum and one sum. A step looks at the elements
// of a block only where these two tell that it has to.
const blockSize = 256

// blocks is how many blocks n elements are.
func blocks(n int) int { return (n + blockSize - 1) / blockSize }

// block returns block i of x.
func block(x []float32, i int) []float32 {
	return x[i*blockSize : min((i+1)*blockSize, len(x))]
}

// Argmax returns the index of the largest logit, the first of equals. NaN counts as -Inf;
// without any larger value the result is 0.
func Argmax(logits []float32) int { return largest(logits, nil) }

// largest is Argmax. It sets maxima, unless they are nil, to those of the blocks.
func largest(logits, maxima []float32) int {
	at, most := 0, negInf
	for i := range blocks(len(logits)) {
		m := vec.Largest(block(logits, i))
		if m > most {
			at, most = i, m
		}
		if maxima != nil {
			maxima[i] = m
		}
	}
	if most == negInf {
		return 0
	}
	return at*blockSize + find(block(logits, at), most)
}

// find returns the index of the first x in block, which holds one.
func find(block []float32, x float32) int {
	i := 0
	for block[i] != x {
		i++
	}
	return i
}
