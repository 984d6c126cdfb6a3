package validate

import (
	"errors"
	"fmt"
)

// Thresholds say what a report must keep to. A nil one is not checked.
type Thresholds struct {
	MaxKL              *float64 // of the mean divergence
	MinTop1            *float64 // a fraction of 1
	MaxPerplexityRatio *float64
}

// Verdict is a threshold and what was found. It is an error where the threshold is missed.
type Verdict struct {
	Name  string  `json:"name"`  // as the report's JSON names the figure: "kl.mean", "top1", "ppl.ratio"
	Bound string  `json:"bound"` // "at most" or "at least"; the limit itself is good
	Limit float64 `json:"limit"`
	Found float64 `json:"found"`
	Good  bool    `json:"good"`
}

// Error says by how much the threshold is missed.
func (v Verdict) Error() string {
	return fmt.Sprintf("validate: %s: %s %g expected, found %.6g", v.Name, v.Bound, v.Limit, v.Found)
}

// Check returns a verdict for each threshold that is set.
func (t Thresholds) Check(r *Report) []Verdict {
	var verdicts []Verdict
	atMost := func(name string, limit *float64, found float64) {
		if limit != nil {
			verdicts = append(verdicts, Verdict{name, "at most", *limit, found, found <= *limit})
		}
	}
	atLeast := func(name string, limit *float64, found float64) {
		if limit != nil {
			verdicts = append(verdicts, Verdict{name, "at least", *limit, found, found >= *limit})
		}
	}
	atMost("kl.mean", t.MaxKL, r.KL.Mean)
	atLeast("top1", t.MinTop1, r.Top1)
	atMost("ppl.ratio", t.MaxPerplexityRatio, r.PPL.Ratio)
	return verdicts
}

// Missed joins the verdicts that are not good to an error, nil where all are.
func Missed(verdicts []Verdict) error {
	var errs []error
	for _, v := range verdicts {
		if !v.Good {
			errs = append(errs, v)
		}
	}
	return errors.Join(errs...)
}
