package validate

import (
	"fmt"
	"math"
)

// distance is what one position says about the two models.
type distance struct {
	kl                   float64
	reference, candidate prediction
}

// prediction is what one model says at a position about the token that follows.
type prediction struct {
	top  int     // the likeliest token, the first of equals
	p    float64 // its probability
	loss float64 // -log of the probability of the token that does follow; 0 where none does
}

// measure compares the rows of logits [vocab] of one position. Next is the token that
// follows, -1 where none is scored. The error is about a logit that is no finite number.
func measure(reference, candidate []float32, next int) (distance, error) {
	r, err := newRow(reference)
	if err != nil {
		return distance{}, fmt.Errorf("reference: %w", err)
	}
	c, err := newRow(candidate)
	if err != nil {
		return distance{}, fmt.Errorf("candidate: %w", err)
	}
	return distance{divergence(r, c), r.predict(next), c.predict(next)}, nil
}

// row is a row of logits with what makes probabilities of them.
type row struct {
	logits []float32 // [vocab]
	top    int       // index of the largest, the first of equals
	norm   float64   // log Σ exp(logit)
}

func newRow(logits []float32) (row, error) {
	r := row{logits: logits}
	for i, x := range logits {
		if x-x != 0 { // NaN or an infinity
			return row{}, fmt.Errorf("logit of token %d: a finite number expected, found %v", i, x)
		}
		if x > logits[r.top] {
			r.top = i
		}
	}
	sum, largest := 0.0, float64(logits[r.top])
	for _, x := range logits {
		sum += math.Exp(float64(x) - largest)
	}
	r.norm = largest + math.Log(sum)
	return r, nil
}

// logP is the log of the probability of token i.
func (r row) logP(i int) float64 { return float64(r.logits[i]) - r.norm }

func (r row) predict(next int) prediction {
	p := prediction{top: r.top, p: math.Exp(r.logP(r.top))}
	if next >= 0 {
		p.loss = -r.logP(next)
	}
	return p
}

// divergence is KL(p || q) = Σ p log(p/q), in nats.
//
// As Σ q = Σ p it equals Σ p (d - 1 + exp(-d)) with d = log p - log q, in which no term is
// negative. So a small divergence is not the difference of large terms, rounding cannot
// make it negative, and that of equal rows is 0.
func divergence(p, q row) float64 {
	sum := 0.0
	for i := range p.logits {
		logP, logQ := p.logP(i), q.logP(i)
		d, weight := logP-logQ, math.Exp(logP)
		if math.Abs(d) < 1.0/64 {
			sum += weight * excess(d)
		} else { // weight·exp(-d), which may overflow, is exp(logQ)
			sum += weight*(d-1) + math.Exp(logQ)
		}
	}
	return sum
}

// excess is d - 1 + exp(-d) for |d| ≤ 1/64: its Taylor series, whose error is below 1e-14 of
// it. Computed as written it would lose all digits at 1e-8.
func excess(d float64) float64 {
	return d * d * (1.0/2 - d*(1.0/6-d*(1.0/24-d*(1.0/120-d*(1.0/720-d/5040)))))
}
