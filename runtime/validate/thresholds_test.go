package validate

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThresholds(t *testing.T) {
	r := &Report{KL: KL{Mean: 0.002}, Top1: 0.97, PPL: Perplexity{Ratio: 1.01}}
	for _, c := range []struct {
		name   string
		t      Thresholds
		good   []bool
		missed string
	}{
		{"none", Thresholds{}, nil, ""},
		{"all kept", Thresholds{new(0.0025), new(0.96), new(1.02)}, []bool{true, true, true}, ""},
		{"limits themselves", Thresholds{new(0.002), new(0.97), new(1.01)}, []bool{true, true, true}, ""},
		{"zero is a limit", Thresholds{MaxKL: new(0.0)}, []bool{false}, "validate: kl.mean: at most 0 expected, found 0.002"},
		{"one missed", Thresholds{new(0.0025), new(0.98), nil}, []bool{true, false}, "validate: top1: at least 0.98 expected, found 0.97"},
		{"all missed", Thresholds{new(0.001), new(0.98), new(1.0)}, []bool{false, false, false},
			"validate: kl.mean: at most 0.001 expected, found 0.002\n" +
				"validate: top1: at least 0.98 expected, found 0.97\n" +
				"validate: ppl.ratio: at most 1 expected, found 1.01"},
	} {
		verdicts := c.t.Check(r)
		var good []bool
		for _, v := range verdicts {
			good = append(good, v.Good)
		}
		if diff := cmp.Diff(c.good, good); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		err, text := Missed(verdicts), ""
		if err != nil {
			text = err.Error()
		}
		if text != c.missed || (err != nil && !errors.As(err, &Verdict{})) {
			t.Errorf("%s: %q, want %q", c.name, text, c.missed)
		}
	}
}
