package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomLogits returns n logits that are multiples of 1/8, so that adding one shifts exactly.
func randomLogits(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.IntN(200)-100) / 8
	}
	return x
}

// perturb adds noise of about the given size.
func perturb(r *rand.Rand, x []float32, size float64) []float32 {
	y := slices.Clone(x)
	for i := range y {
		y[i] += float32(size * r.NormFloat64())
	}
	return y
}

// simpleSoftmax and simpleKL are the definitions, written down.
func simpleSoftmax(x []float32) []float64 {
	p, sum := make([]float64, len(x)), 0.0
	for i := range x {
		p[i] = math.Exp(float64(x[i]))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func simpleKL(x, y []float32) float64 {
	p, q, sum := simpleSoftmax(x), simpleSoftmax(y), 0.0
	for i := range p {
		sum += p[i] * math.Log(p[i]/q[i])
	}
	return sum
}

func near(a, b, relative float64) bool { return math.Abs(a-b) <= relative*math.Abs(b) }

func TestMeasureIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 17, 1000} {
		x := randomLogits(r, n)
		for _, noise := range []float64{3, 0.3, 0.03} {
			y := perturb(r, x, noise)
			next := r.IntN(n)
			d, err := measure(x, y, next)
			if err != nil {
				t.Fatal(err)
			}
			// The definition cancels to some 1e-15 of the largest term.
			if want := simpleKL(x, y); math.Abs(d.kl-want) > 1e-14+1e-11*want {
				t.Errorf("%d logits, noise %v: KL %v, want %v", n, noise, d.kl, want)
			}
			for _, m := range []struct {
				name string
				got  prediction
				x    []float32
			}{{"reference", d.reference, x}, {"candidate", d.candidate, y}} {
				p := simpleSoftmax(m.x)
				top := slices.Index(m.x, slices.Max(m.x))
				if m.got.top != top || !near(m.got.p, p[top], 1e-12) || math.Abs(m.got.loss+math.Log(p[next])) > 1e-12 {
					t.Errorf("%d logits, %s: %+v, want top %d (%v), loss %v", n, m.name, m.got, top, p[top], -math.Log(p[next]))
				}
			}
		}
	}
}

// TestSmallDivergences: for logits that differ by small e, KL is half the variance of e under
// p, to first order in e. The definition would give noise of 1e-16 instead, of either sign.
func TestSmallDivergences(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := randomLogits(r, 500)
	for i := range x {
		x[i] /= 1 << 10 // small, so that float32 holds small differences
	}
	for _, size := range []float64{1e-2, 1e-4, 1e-6, 1e-8} {
		y := perturb(r, x, size)
		mean, square := 0.0, 0.0
		for i, p := range simpleSoftmax(x) {
			e := float64(y[i]) - float64(x[i])
			mean += p * e
			square += p * e * e
		}
		want := (square - mean*mean) / 2
		d, err := measure(x, y, -1)
		if err != nil || !near(d.kl, want, 0.02+size) || d.kl < 0 {
			t.Errorf("differences of %v: KL %v, %v, want about %v", size, d.kl, err, want)
		}
	}
}

// TestExcess compares the series with its definition where that is exact enough, and at the
// border between the two.
func TestExcess(t *testing.T) {
	for _, d := range []float64{1.0 / 64, -1.0 / 64, 1.0 / 100, -1.0 / 100} {
		if want := d + math.Expm1(-d); !near(excess(d), want, 1e-12) {
			t.Errorf("excess(%v) = %v, want %v", d, excess(d), want)
		}
	}
	if !near(excess(1e-12), 1e-24/2, 1e-11) || excess(0) != 0 {
		t.Errorf("excess(1e-12) = %v, excess(0) = %v", excess(1e-12), excess(0))
	}
}

func TestNoDivergence(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := randomLogits(r, 1000)
	if d, err := measure(x, x, 3); err != nil || d.kl != 0 || d.reference != d.candidate {
		t.Errorf("equal rows: %+v, %v", d, err)
	}
	shifted := slices.Clone(x)
	for i := range shifted {
		shifted[i] += 16
	}
	d, err := measure(x, shifted, 3)
	if err != nil || d.kl < 0 || d.kl > 1e-24 || math.Abs(d.reference.loss-d.candidate.loss) > 1e-12 {
		t.Errorf("rows that differ by a constant: %+v, %v", d, err)
	}
}

// TestExtremeLogits: probabilities that round to 0, logits at the ends of float32.
func TestExtremeLogits(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y []float32
		kl   float64
	}{
		{"certain, the same", []float32{2000, 0, 0}, []float32{2000, 0, 0}, 0},
		{"certain, another", []float32{2000, 0, 0}, []float32{0, 2000, 0}, 2000},
		{"certain, unsure", []float32{2000, 0}, []float32{0, 0}, math.Log(2)},
		{"largest", []float32{math.MaxFloat32, 0}, []float32{-math.MaxFloat32, 0}, math.MaxFloat32},
	} {
		d, err := measure(c.x, c.y, 0)
		if err != nil || math.Abs(d.kl-c.kl) > 1e-12*(1+c.kl) {
			t.Errorf("%s: KL %v, %v, want %v", c.name, d.kl, err, c.kl)
		}
	}
}

func TestFirstOfEquals(t *testing.T) {
	d, err := measure([]float32{1, 5, 5, 2}, []float32{5, 5, 1, 5}, -1)
	if err != nil || d.reference.top != 1 || d.candidate.top != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestNoNumbers(t *testing.T) {
	good := []float32{1, 2, 3}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := []float32{1, float32(x), 3}
		if _, err := measure(bad, good, 0); err == nil || !strings.Contains(err.Error(), "reference: logit of token 1") {
			t.Errorf("%v in the reference: %v", x, err)
		}
		if _, err := measure(good, bad, 0); err == nil || !strings.Contains(err.Error(), "candidate: logit of token 1") {
			t.Errorf("%v in the candidate: %v", x, err)
		}
	}
}

// TestMeasureAllocatesNothing: a row is as long as the vocabulary.
func TestMeasureAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := randomLogits(r, 5000)
	y := perturb(r, x, 0.1)
	if n := testing.AllocsPerRun(10, func() { measure(x, y, 7) }); n != 0 {
		t.Errorf("%v allocations for a position", n)
	}
}

// FuzzMeasure: whatever the logits are, there is an error or a divergence that is not negative.
func FuzzMeasure(f *testing.F) {
	f.Add(float32(1), float32(2), float32(3), float32(4))
	f.Add(float32(math.MaxFloat32), float32(0), float32(-math.MaxFloat32), float32(1e-45))
	f.Add(float32(math.Inf(1)), float32(0), float32(0), float32(0))
	f.Fuzz(func(t *testing.T, a, b, c, d float32) {
		got, err := measure([]float32{a, b}, []float32{c, d}, 1)
		if err == nil && !(got.kl >= 0 && got.kl <= math.MaxFloat64 && got.candidate.p <= 1.0000001) {
			t.Errorf("%+v", got)
		}
	})
}
