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
	PeakBytes       int64   `json:"peak_bytes"`         // resident, of the whole process; 0 where not known
	LoadSeconds     float64 `json:"load_seconds"`       // from opening the model to its first logits

	// Of comparisons only.
	Side        string  `json:"side,omitempty"` // A or B
	Ratio       float64 `json:"ratio,omitempty"`
	RatioStddev float64 `json:"ratio_stddev,omitempty"`
}

// measure runs all tests of all sides, which take turns, and calls step after each run.
func measure(ctx context.Context, sides []side, repetitions int, step func()) (results []benchResult, err error) {
	read, err := askAll(ctx, sides, askRead)
	if err != nil {
		return nil, err
	}
	results = []benchResult{}
	for test := range sides[0].tests() {
		rates, err := takeTurns(ctx, sides, test, repetitions, step)
		if err != nil {
			return nil, err
		}
		results = append(results, rows(sides, test, rates)...)
	}
	// What else the machine does slows single measurements: the best of both counts.
	again, err := askAll(ctx, sides, askRead)
	if err != nil {
		return nil, err
	}
	peak, err := askAll(ctx, sides, askPeak)
	if err != nil {
		return nil, err
	}
	for i := range results {
		side := i % len(sides)
		results[i].relate(max(read[side], again[side]), int64(peak[side]))
	}
	return results, nil
}

// askAll asks each side the same.
func askAll(ctx context.Context, sides []side, do string) ([]float64, error) {
	figures := make([]float64, len(sides))
	for i, s := range sides {
		var err error
		if figures[i], err = s.ask(ctx, question{Do: do}); err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// takeTurns returns the tokens per second of each side in each repetition of a test, after
// a warm-up.
func takeTurns(ctx context.Context, sides []side, test, repetitions int, step func()) ([][]float64, error) {
	rates := make([][]float64, len(sides))
	for range repetitions + 1 {
		for i, s := range sides {
			rate, err := s.ask(ctx, question{Do: askRun, Test: test})
			if err != nil {
				return nil, err
			}
			rates[i] = append(rates[i], rate)
			step()
		}
	}
	for i := range rates {
		rates[i] = rates[i][1:]
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
			r.Ratio, r.RatioStddev = ratio(rates[i], rates[0])
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
