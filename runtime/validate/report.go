package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Report says how far the candidate is from the reference. Its JSON keys are fixed; shares
// are fractions of 1, divergences are in nats.
type Report struct {
	Tokens int        `json:"tokens"` // positions compared
	Scored int        `json:"scored"` // of them those whose next token counts for the perplexity
	Window int        `json:"window"` // tokens that a session saw at most
	KL     KL         `json:"kl"`
	Top1   float64    `json:"top1"` // share of positions where both have the same likeliest token
	PPL    Perplexity `json:"ppl"`
	Worst  []Position `json:"worst"` // the positions of largest divergence, the largest first
}

// KL is the distribution of KL(reference || candidate) over the positions. A percentile is
// the nearest rank: of n values in order, P99 is the one at place ⌈0.99·n⌉, so that at least
// 99 % are not above it.
type KL struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
	P999 float64 `json:"p999"`
	P99  float64 `json:"p99"`
	P95  float64 `json:"p95"`
	P90  float64 `json:"p90"`
	P50  float64 `json:"p50"`
}

// Perplexity is exp of the mean negative log-likelihood of the scored tokens.
type Perplexity struct {
	Reference float64 `json:"reference"`
	Candidate float64 `json:"candidate"`
	Ratio     float64 `json:"ratio"` // candidate / reference: above 1 the candidate predicts worse
}

// Position is one place in the tokens.
type Position struct {
	Index     int     `json:"position"` // in the ids
	KL        float64 `json:"kl"`
	Context   string  `json:"context"` // the last few tokens of its window as text; "" without a tokenizer
	Reference Guess   `json:"reference"`
	Candidate Guess   `json:"candidate"`
}

// Guess is what a model thinks the likeliest next token.
type Guess struct {
	ID   int     `json:"id"`
	Text string  `json:"text"` // "" without a tokenizer
	P    float64 `json:"p"`    // its probability
}

// newReport sums up the distances of all positions. Scored says how many have a loss.
func newReport(distances []distance, window, scored int) (*Report, error) {
	r := &Report{Tokens: len(distances), Scored: scored, Window: window}
	var referenceLoss, candidateLoss float64
	kl, same := make([]float64, len(distances)), 0
	for i, d := range distances {
		kl[i] = d.kl
		referenceLoss += d.reference.loss
		candidateLoss += d.candidate.loss
		if d.reference.top == d.candidate.top {
			same++
		}
	}
	r.KL = newKL(kl)
	r.Top1 = float64(same) / float64(len(distances))
	var err error
	r.PPL, err = newPerplexity(referenceLoss/float64(scored), candidateLoss/float64(scored))
	return r, err
}

// newKL sums up kl, which it sorts.
func newKL(kl []float64) KL {
	sum := 0.0
	for _, x := range kl {
		sum += x
	}
	slices.Sort(kl)
	return KL{
		Mean: sum / float64(len(kl)),
		Max:  kl[len(kl)-1],
		P999: percentile(kl, 999),
		P99:  percentile(kl, 990),
		P95:  percentile(kl, 950),
		P90:  percentile(kl, 900),
		P50:  percentile(kl, 500),
	}
}

// percentile returns the nearest rank of perMille in sorted values: the smallest one that at
// least that share of them does not exceed.
func percentile(sorted []float64, perMille int) float64 {
	rank := (len(sorted)*perMille + 999) / 1000
	return sorted[max(rank, 1)-1]
}

// newPerplexity takes mean losses. They are finite, but exp of one need not be.
func newPerplexity(reference, candidate float64) (Perplexity, error) {
	p := Perplexity{math.Exp(reference), math.Exp(candidate), math.Exp(candidate - reference)}
	if math.IsInf(max(p.Reference, p.Candidate), 1) {
		return p, fmt.Errorf("validate: mean losses of %.4g (reference) and %.4g (candidate): no perplexity so large can be written down",
			reference, candidate)
	}
	return p, nil
}

// worst returns the indices of the n largest divergences, the largest first.
func worst(distances []distance, n int) []int {
	index := make([]int, len(distances))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(distances[b].kl, distances[a].kl) })
	return index[:max(0, min(n, len(index)))]
}
