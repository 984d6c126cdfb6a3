package sampler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"octet/internal/vec"
)

// randomLogits look like a model's: a bulk and a few that stand out.
func randomLogits(random *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(random.NormFloat64() * 2)
		if random.IntN(50) == 0 {
			x[i] += 6
		}
	}
	return x
}

func newSampler(t testing.TB, vocab int, o Options) *Sampler {
	t.Helper()
	s, err := New(vocab, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// chains are options that use each step alone and all of them together.
func chains() map[string]Options {
	return map[string]Options{
		"greedy":             {},
		"greedy, penalties":  {RepetitionPenalty: 1.3, FrequencyPenalty: 0.2, PresencePenalty: 0.5},
		"temperature":        {Temperature: 0.8},
		"hot":                {Temperature: 5},
		"cold":               {Temperature: 0.05},
		"top-k":              {Temperature: 1, TopK: 7},
		"top-k 1":            {Temperature: 1, TopK: 1},
		"top-k over vocab":   {Temperature: 1, TopK: 100000},
		"top-p":              {Temperature: 1, TopP: 0.9},
		"top-p small":        {Temperature: 1, TopP: 0.01},
		"top-p large":        {Temperature: 1.5, TopP: 0.999},
		"min-p":              {Temperature: 1, MinP: 0.05},
		"min-p 1":            {Temperature: 1, MinP: 1},
		"repetition":         {Temperature: 1, RepetitionPenalty: 1.5},
		"repetition window":  {Temperature: 1, RepetitionPenalty: 1.5, PenaltyWindow: 5},
		"frequency":          {Temperature: 1, FrequencyPenalty: 0.7, PenaltyWindow: 20},
		"presence":           {Temperature: 1, PresencePenalty: 1.5},
		"encouraged":         {Temperature: 1, PresencePenalty: -0.5},
		"bias":               {Temperature: 1, LogitBias: map[int]float32{3: 5, 4: negInf, 0: -2}},
		"top-k, top-p":       {Temperature: 0.7, TopK: 20, TopP: 0.8},
		"everything":         {Temperature: 0.9, TopK: 30, TopP: 0.95, MinP: 0.02, RepetitionPenalty: 1.1, FrequencyPenalty: 0.1, PresencePenalty: 0.1, PenaltyWindow: 16, LogitBias: map[int]float32{1: 1}},
		"everything, seeded": {Temperature: 0.9, TopK: 30, TopP: 0.95, MinP: 0.02, Seed: 99},
	}
}

func TestSampleIsReference(t *testing.T) {
	for name, o := range chains() {
		for _, vocab := range []int{1, 5, 50, 1000, 20000} {
			t.Run(fmt.Sprintf("%s/%d", name, vocab), func(t *testing.T) {
				o := o
				o.LogitBias = biasWithin(o.LogitBias, vocab)
				s, ref := newSampler(t, vocab, o), newReference(o)
				random := rand.New(rand.NewPCG(uint64(vocab), 1))
				for i := range min(100, 100_000/vocab) {
					logits := randomLogits(random, vocab)
					got, want := s.Sample(logits), ref.sample(logits)
					if got != want {
						t.Fatalf("token %d: %d, the reference picks %d", i, got, want)
					}
					s.Accept(got)
					ref.seen = append(ref.seen, got)
				}
			})
		}
	}
}

func biasWithin(bias map[int]float32, vocab int) map[int]float32 {
	kept := map[int]float32{}
	for id, b := range bias {
		if id < vocab {
			kept[id] = b
		}
	}
	return kept
}

// keptWeights returns those of all tokens at the last turn of s, 0 for the ones dropped.
func keptWeights(s *Sampler) []float64 {
	weights := make([]float64, s.vocab)
	for i, w := range s.masses.weights {
		id := i
		if s.best != nil {
			id = s.best.ids[i]
		}
		if s.masses.kept.has(i, w) {
			weights[id] = float64(w)
		}
	}
	return weights
}

// TestKeptTokens compares the weights themselves, not only what is drawn from them.
func TestKeptTokens(t *testing.T) {
	for name, o := range chains() {
		if o.Temperature == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, ref := newSampler(t, 500, o), newReference(o)
			random := rand.New(rand.NewPCG(5, 5))
			for range 20 {
				logits := randomLogits(random, 500)
				s.Sample(logits)
				weights, total := keptWeights(s), 0.0
				for _, w := range weights {
					total += w
				}
				for id, p := range ref.probabilities(logits) {
					got := weights[id] / total
					// The exponent is rounded a few times, relative to its size, eˣ once more.
					tolerance := p * (8 - 4*math.Log(p+1e-40)) / (1 << 24)
					if (got == 0) != (p == 0) && p > 1e-30 || math.Abs(got-p) > tolerance+1e-30 {
						t.Fatalf("token %d: probability %g, want %g", id, got, p)
					}
				}
			}
		})
	}
}

// TestDistribution: 40,000 draws, chi-squared with 7 degrees of freedom below its 99.9 % point.
func TestDistribution(t *testing.T) {
	logits := []float32{0, 1, 2, 0.5, -1, 1.5, 0.2, -0.3}
	o := Options{Temperature: 1.2, Seed: 4}
	s := newSampler(t, len(logits), o)
	const draws = 40000
	counts := make([]float64, len(logits))
	for range draws {
		counts[s.Sample(logits)]++
	}
	chi := 0.0
	for id, p := range newReference(o).probabilities(logits) {
		d := counts[id] - draws*p
		chi += d * d / (draws * p)
	}
	if chi > 24.3 {
		t.Errorf("chi-squared %.1f, counts %v", chi, counts)
	}
}

// TestTokensOfSeed fixes tokens for good: they must not change between machines or versions.
func TestTokensOfSeed(t *testing.T) {
	logits := make([]float32, 1000)
	for i := range logits {
		logits[i] = float32((i*7919)%1000) / 250 // exact steps, no random numbers of the test
	}
	want := map[uint64][]int{
		0: {112, 840, 852, 939, 235, 284, 939, 87},
		1: {581, 976, 285, 285, 75, 334, 13, 136},
	}
	for seed, ids := range want {
		s := newSampler(t, len(logits), Options{Temperature: 0.8, TopK: 100, TopP: 0.9, Seed: seed})
		var got []int
		for range 8 {
			got = append(got, s.Sample(logits))
		}
		if !slices.Equal(got, ids) {
			t.Errorf("seed %d: %v, want %v", seed, got, ids)
		}
		s.Reset()
		if again := s.Sample(logits); again != ids[0] {
			t.Errorf("seed %d: %d after Reset, want %d", seed, again, ids[0])
		}
	}
}

// TestTokensOfLargeVocabulary fixes tokens for good where selections need several looks.
func TestTokensOfLargeVocabulary(t *testing.T) {
	logits := make([]float32, 50_000)
	for i := range logits {
		logits[i] = float32((i*7919)%49_999) / 8192
	}
	cases := []struct {
		name string
		o    Options
		want []int
	}{
		{"temperature", Options{Temperature: 0.7, Seed: 3}, []int{5385, 38021, 46777, 1553, 12349, 4874}},
		{"top-k", Options{Temperature: 0.7, TopK: 60, Seed: 3}, []int{5171, 37283, 46981, 1831, 11851, 4849}},
		{"top-p", Options{Temperature: 1.3, TopP: 0.95, Seed: 3}, []int{5390, 38026, 46777, 1553, 12353, 4874}},
		{"top-p, min-p", Options{Temperature: 0.7, TopP: 0.999, MinP: 0.3, Seed: 3}, []int{5379, 38015, 46772, 1559, 12349, 4874}},
	}
	for _, c := range cases {
		s := newSampler(t, len(logits), c.o)
		var got []int
		for range 6 {
			got = append(got, s.Sample(logits))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestEqualLogits(t *testing.T) {
	logits := []float32{1, 3, 3, 3, 3, 0}
	cases := []struct {
		name string
		o    Options
		want []int // all ids that may come
	}{
		{"greedy takes the first", Options{}, []int{1}},
		{"top-k keeps exactly k", Options{Temperature: 1, TopK: 2}, []int{1, 2}},
		{"top-p reached exactly", Options{Temperature: 0.01, TopP: 0.5}, []int{1, 2}},
		{"top-p just over", Options{Temperature: 0.01, TopP: 0.51}, []int{1, 2, 3}},
		{"min-p 1 keeps all best", Options{Temperature: 1, MinP: 1}, []int{1, 2, 3, 4}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSampler(t, len(logits), c.o)
			seen := map[int]bool{}
			for range 200 {
				seen[s.Sample(logits)] = true
			}
			for id := range logits {
				if seen[id] != slices.Contains(c.want, id) {
					t.Errorf("id %d picked: %v, want %v", id, seen[id], c.want)
				}
			}
		})
	}
}

func TestBrokenLogits(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	cases := []struct {
		name   string
		logits []float32
		want   int
	}{
		{"one token", []float32{-4}, 0},
		{"all -Inf", []float32{negInf, negInf, negInf}, 0},
		{"all NaN", []float32{nan, nan, nan}, 0},
		{"NaN and a number", []float32{nan, -1e30, nan}, 1},
		{"NaN first in top-k", []float32{nan, nan, 2}, 2},
		{"+Inf", []float32{1, inf, inf}, 1},
		{"+Inf and NaN", []float32{nan, 0, inf}, 2},
		{"largest numbers", []float32{-math.MaxFloat32, math.MaxFloat32, nan}, 1},
	}
	for _, c := range cases {
		for name, o := range chains() {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				o.LogitBias = nil
				if got := newSampler(t, len(c.logits), o).Sample(c.logits); got != c.want {
					t.Errorf("%d, want %d", got, c.want)
				}
			})
		}
	}
}

func TestBiasBans(t *testing.T) {
	logits := []float32{5, 9, 1}
	bias := map[int]float32{1: negInf}
	if got := newSampler(t, 3, Options{LogitBias: bias}).Sample(logits); got != 0 {
		t.Errorf("greedy: %d, want 0", got)
	}
	s := newSampler(t, 3, Options{LogitBias: bias, Temperature: 3})
	bias[1] = 0 // the sampler keeps its own
	for range 500 {
		if s.Sample(logits) == 1 {
			t.Fatal("a banned token was picked")
		}
	}
	if logits[1] != 9 {
		t.Error("Sample changed the logits")
	}
}

func TestPenalties(t *testing.T) {
	cases := []struct {
		name string
		o    Options
		seen []int
		want []float32 // of logits 2, -2, 1
	}{
		{"off", Options{}, []int{0, 1}, []float32{2, -2, 1}},
		{"repetition", Options{RepetitionPenalty: 2}, []int{0, 1, 1, 0}, []float32{1, -4, 1}},
		{"frequency", Options{FrequencyPenalty: 0.5}, []int{0, 1, 1}, []float32{1.5, -3, 1}},
		{"presence", Options{PresencePenalty: 0.5}, []int{0, 1, 1}, []float32{1.5, -2.5, 1}},
		{"window", Options{FrequencyPenalty: 1, PenaltyWindow: 2}, []int{2, 0, 1, 1}, []float32{2, -4, 1}},
		{"repetition first", Options{RepetitionPenalty: 2, PresencePenalty: 1}, []int{0}, []float32{0, -2, 1}},
		{"ids without a logit", Options{PresencePenalty: 1}, []int{-1, 3, 1 << 40}, []float32{2, -2, 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSampler(t, 3, c.o)
			for _, id := range c.seen {
				s.Accept(id)
			}
			if got := s.adjusted([]float32{2, -2, 1}); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestTruncateIsNeverAccepted(t *testing.T) {
	for _, window := range []int{0, 1, 3, 100} {
		o := Options{FrequencyPenalty: 1, PenaltyWindow: window}
		random := rand.New(rand.NewPCG(1, 2))
		s := newSampler(t, 10, o)
		var ids []int
		for range 300 {
			if random.IntN(4) == 0 {
				n := random.IntN(len(ids) + 2)
				s.Truncate(n)
				ids = ids[:min(n, len(ids))]
			} else {
				ids = append(ids, random.IntN(10))
				s.Accept(ids[len(ids)-1])
			}
			fresh := newSampler(t, 10, o)
			for _, id := range ids {
				fresh.Accept(id)
			}
			if !slices.Equal(s.history.counts, fresh.history.counts) {
				t.Fatalf("window %d, after %v: %v, want %v", window, ids, s.history.counts, fresh.history.counts)
			}
			slices.Sort(s.history.seen)
			for i, id := range s.history.seen {
				s.history.places[id] = int32(i)
			}
			slices.Sort(fresh.history.seen)
			if !slices.Equal(s.history.seen, fresh.history.seen) {
				t.Fatalf("window %d, after %v: %v seen, want %v", window, ids, s.history.seen, fresh.history.seen)
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		o    Options
		want string
	}{
		{Options{Temperature: -1}, "temperature -1, expected a finite number, 0 or more"},
		{Options{Temperature: nan}, "temperature NaN"},
		{Options{Temperature: inf}, "temperature +Inf"},
		{Options{TopK: -1}, "top-k -1"},
		{Options{TopP: 1.5}, "top-p 1.5, expected a number from 0 to 1"},
		{Options{MinP: -0.1}, "min-p -0.1"},
		{Options{RepetitionPenalty: -1}, "repetition penalty -1"},
		{Options{FrequencyPenalty: inf}, "frequency penalty +Inf, expected a finite number"},
		{Options{PresencePenalty: nan}, "presence penalty NaN"},
		{Options{PenaltyWindow: -2}, "penalty window -2"},
		{Options{LogitBias: map[int]float32{10: 1}}, "logit bias for token 10, the vocabulary has 10"},
		{Options{LogitBias: map[int]float32{-1: 1}}, "logit bias for token -1"},
		{Options{LogitBias: map[int]float32{1: float32(inf)}}, "logit bias +Inf for token 1"},
		{Options{LogitBias: map[int]float32{1: float32(nan)}}, "logit bias NaN for token 1"},
	}
	for _, c := range cases {
		if _, err := New(10, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
	if _, err := New(0, Options{}); err == nil {
		t.Error("no error for an empty vocabulary")
	}
}

func TestSampleAllocatesNothing(t *testing.T) {
	logits := randomLogits(rand.New(rand.NewPCG(1, 1)), 5000)
	for name, o := range chains() {
		s := newSampler(t, len(logits), o)
		s.Accept(3)
		if n := testing.AllocsPerRun(20, func() { s.Sample(logits) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestExpEnds: the chain relies on these two values.
func TestExpEnds(t *testing.T) {
	if one, zero := vec.Exp(0), vec.Exp(negInf); one != 1 || zero != 0 {
		t.Errorf("exp(0) = %v, exp(-Inf) = %v", one, zero)
	}
}
