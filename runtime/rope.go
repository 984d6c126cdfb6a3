package runtime

import (
	"cmp"
	"fmt"
	"math"

	"octet/internal/vec"
	"octet/loader"
)

// rope is rotary position embedding (https://arxiv.org/abs/2104.09864) with the scalings
// of transformers' modeling_rope_utils.py. Frequencies and angles are rounded to float32 where
// transformers rounds them: at position 3000 an angle of float64 is so far from that of the model's
// training that it shows in the logits. Their sine and cosine are taken in float64.
type rope struct {
	params      loader.RoPE
	dim         int
	maxPosition int       // max_position_embeddings
	invFreq     []float32 // [dim/2]
	attnFactor  float32   // multiplies cos and sin (yarn), otherwise 1
}

func newRoPE(c loader.Config) (rope, error) {
	r := rope{params: c.RoPE, dim: c.HeadDim, maxPosition: c.MaxPositions, attnFactor: 1}
	if c.HeadDim%2 != 0 {
		return r, fmt.Errorf("%w: head_dim: %d (RoPE takes pairs)", ErrUnsupported, c.HeadDim)
	}
	freq := inverseFrequencies(c.RoPE.Theta, r.dim)
	switch c.RoPE.Type {
	case "default", "dynamic":
	case "linear":
		for i := range freq {
			freq[i] /= float32(c.RoPE.Factor)
		}
	case "llama3":
		scaleLlama3(freq, c.RoPE)
	case "yarn":
		scaleYaRN(freq, c.RoPE, r.dim)
		r.attnFactor = float32(yarnAttentionFactor(c.RoPE))
	default:
		return r, fmt.Errorf("%w: rope type %q", ErrUnsupported, c.RoPE.Type)
	}
	r.invFreq = freq
	return r, nil
}

// powers returns theta^(2i/dim), i < dim/2.
func powers(theta float64, dim int) []float32 {
	p := make([]float32, dim/2)
	for i := range p {
		exponent := float32(2*i) / float32(dim)
		p[i] = float32(math.Pow(float64(float32(theta)), float64(exponent)))
	}
	return p
}

// inverseFrequencies returns theta^(-2i/dim), i < dim/2.
func inverseFrequencies(theta float64, dim int) []float32 {
	freq := powers(theta, dim)
	for i := range freq {
		freq[i] = 1 / freq[i]
	}
	return freq
}

// scaleLlama3 stretches long wavelengths by factor, leaves short ones, and blends between.
func scaleLlama3(freq []float32, p loader.RoPE) {
	orig := float64(p.OriginalMaxPositions)
	longest, shortest := float32(orig/p.LowFreqFactor), float32(orig/p.HighFreqFactor)
	low, width, factor := float32(p.LowFreqFactor), float32(p.HighFreqFactor-p.LowFreqFactor), float32(p.Factor)
	for i, f := range freq {
		wavelen := float32(2*math.Pi) * (1 / f)
		switch {
		case wavelen > longest:
			freq[i] = f / factor
		case wavelen >= shortest:
			s := (float32(float32(orig)*(1/wavelen)) - low) / width
			freq[i] = float32((1-s)*f/factor) + float32(s*f)
		}
	}
}

// scaleYaRN is NTK-by-parts interpolation (https://arxiv.org/abs/2309.00071).
func scaleYaRN(freq []float32, p loader.RoPE, dim int) {
	low, high := yarnRange(p, dim)
	for i, power := range powers(p.Theta, dim) {
		ramp := (float32(i) - float32(low)) / float32(high-low)
		own := 1 - min(max(ramp, 0), 1) // the share of the frequency that is not stretched
		stretched := 1 / float32(float32(p.Factor)*power)
		freq[i] = float32(stretched*(1-own)) + float32(freq[i]*own)
	}
}

// yarnRange returns the dimensions where interpolation begins and is complete.
func yarnRange(p loader.RoPE, dim int) (low, high float64) {
	fast, slow := cmp.Or(p.BetaFast, 32), cmp.Or(p.BetaSlow, 1)
	at := func(rotations float64) float64 {
		return float64(dim) * math.Log(float64(p.OriginalMaxPositions)/(rotations*2*math.Pi)) / (2 * math.Log(p.Theta))
	}
	low, high = at(fast), at(slow)
	if p.Truncate {
		low, high = math.Floor(low), math.Ceil(high)
	}
	low, high = max(low, 0), min(high, float64(dim-1))
	if low == high {
		high += 0.001
	}
	return low, high
}

func yarnAttentionFactor(p loader.RoPE) float64 {
	if p.AttentionFactor != 0 {
		return p.AttentionFactor
	}
	scale := func(m float64) float64 {
		if p.Factor <= 1 {
			return 1
		}
		return float64(0.1*m*math.Log(p.Factor)) + 1
	}
	if p.MScale != 0 && p.MScaleAllDim != 0 {
		return scale(p.MScale) / scale(p.MScaleAllDim)
	}
	return scale(1)
}

// frequencies returns the inverse frequencies for a sequence of length positions: they
// depend on it only for type "dynamic", past max_position_embeddings.
func (r *rope) frequencies(length int) []float32 {
	if r.params.Type != "dynamic" || length <= r.maxPosition {
		return r.invFreq
	}
	grow := float64(r.params.Factor*float64(length)/float64(r.maxPosition)) - (r.params.Factor - 1)
	theta := r.params.Theta * math.Pow(grow, float64(r.dim)/float64(r.dim-2))
	return inverseFrequencies(theta, r.dim)
}

// fill sets cos and sin [n, dim/2] for positions pos … pos+n-1.
func (r *rope) fill(cos, sin, freq []float32, pos, n int) {
	half := r.dim / 2
	for t := range n {
		for i, f := range freq {
			s, c := vec.Sincos(float64(float32(float32(pos+t) * f)))
			cos[t*half+i] = float32(float32(c) * r.attnFactor)
			sin[t*half+i] = float32(float32(s) * r.attnFactor)
		}
	}
}

// rotate turns the heads of one token, x [heads, dim], by cos and sin [dim/2].
func (r *rope) rotate(x, cos, sin []float32) {
	for ; len(x) > 0; x = x[r.dim:] {
		if r.params.Interleaved {
			rotatePairs(x[:r.dim], cos, sin)
		} else {
			// The pairs (i, i+dim/2), as transformers lays them out.
			vec.Rotate(x[:r.dim/2], x[r.dim/2:r.dim], cos, sin)
		}
	}
}

// rotatePairs turns the pairs (2i, 2i+1), as llama2.c lays them out.
func rotatePairs(x, cos, sin []float32) {
	for i, c := range cos {
		s, u, v := sin[i], x[2*i], x[2*i+1]
		x[2*i] = float32(u*c) - float32(v*s)
		x[2*i+1] = float32(v*c) + float32(u*s)
	}
}
