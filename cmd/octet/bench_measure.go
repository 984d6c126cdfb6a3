package main

import (
	"context"
	"math"
	"slices"
)

// benchResult is one test. The names of the fields are a contract with scripts.
type benchResult struct {
	Model           string  `json:"model"`
	Backend         string  `json:"backend"`
	Activations     string  `json:"activations"`
	Weights         string  `json:"weights"`
	Threads         int     `json:"threads"`
	Test            string  `json:"test"`
	Depth           int     `json:"depth"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	Stddev          float64 `json:"stddev"`
	BytesPerToken   int64   `json:"bytes_per_token"`
	GBPerSecond     float64 `json:"gb_per_second"`
	BandwidthShare  float64 `json:"bandwidth_share"`
	ReadGBPerSecond float64 `json:"read_gb_per_second"` // of the read test
	MemoryBytes     int64   `json:"memory_bytes"`       // weights and cache
	PeakBytes       int64   `json:"peak_bytes"`         // resident, of the process with the read test's buffer; 0 where not known
	KV              string  `json:"kv"`                 // type of the key/value cache
	LoadSeconds     float64 `json:"load_seconds"`       // from opening the model to its first logits

	// Of comparisons only.
	Side        string   `json:"side,omitempty"` // A or B
	Ratio       float64  `json:"ratio,omitempty"`
	RatioStddev *float64 `json:"ratio_stddev,omitempty"` // of B, and 0 there is a figure, too
}

// measure runs all tests of all sides, which take turns, and calls step after each run.
func measure(ctx context.Context, sides []side, repetitions int, step func()) ([]benchResult, error) {
	m := measurement{sides: sides, read: make([]float64, len(sides)), step: step}
	results := []benchResult{}
	for test := range sides[0].tests() {
		rates, err := m.takeTurns(ctx, test, repetitions)
		if err != nil {
			return nil, err
		}
		results = append(results, rows(sides, test, rates)...)
	}
	for i := range results {
		side := i % len(sides)
		peak, err := sides[side].ask(ctx, question{Do: askPeak})
		if err != nil {
			return nil, err
		}
		results[i].relate(m.read[side], int64(peak))
	}
	return results, nil
}

// measurement is a run of all tests.
type measurement struct {
	sides []side
	read  []float64 // bytes a second of each side's read tests: the best, as what else the machine does slows some
	step  func()
}

// takeTurns returns the tokens per second of each side in each repetition of a test, after
// a warm-up. Each has a read test before it.
func (m *measurement) takeTurns(ctx context.Context, test, repetitions int) ([][]float64, error) {
	rates := make([][]float64, len(m.sides))
	for turn := range repetitions + 1 {
		for i, s := range m.sides {
			read, err := s.ask(ctx, question{Do: askRead})
			if err != nil {
				return nil, err
			}
			m.read[i] = max(m.read[i], read)
			rate, err := s.ask(ctx, question{Do: askRun, Test: test})
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				rates[i] = append(rates[i], rate)
			}
			m.step()
		}
	}
	return rates, nil
}

// rows are a test's results, one for each side.
func rows(sides []side, test int, rates [][]float64) (list []benchResult) {
	for i, s := range sides {
		r := s.tests()[test]
		r.TokensPerSecond, r.Stddev = meanStddev(rates[i])
		if len(sides) > 1 {
			r.Side = string(rune('A' + i))
		}
		if i > 0 {
			median, stddev := ratio(rates[i], rates[0])
			r.Ratio, r.RatioStddev = median, &stddev
		}
		list = append(list, r)
	}
	return list
}

// relate completes a result by what is measured once for all tests of a side.
func (r *benchResult) relate(bandwidth float64, peak int64) {
	r.GBPerSecond = r.TokensPerSecond * float64(r.BytesPerToken) / 1e9
	r.ReadGBPerSecond = bandwidth / 1e9
	r.BandwidthShare = r.GBPerSecond / r.ReadGBPerSecond
	r.PeakBytes = peak
}

// ratio is that of the medians of b and a; its deviation is that of the ratios of the pairs,
// which were measured one after the other.
func ratio(b, a []float64) (median, stddev float64) {
	pairs := make([]float64, len(a))
	for i := range a {
		pairs[i] = b[i] / a[i]
	}
	_, stddev = meanStddev(pairs)
	return medianOf(b) / medianOf(a), stddev
}

// medianOf is the median of x, which is not empty.
func medianOf(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// meanStddev returns the mean and the standard deviation of the sample x.
func meanStddev(x []float64) (mean, stddev float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		stddev += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(stddev / float64(len(x)-1))
}
