package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"octet/runtime/validate"
)

// print writes the result; its error is that of missed thresholds, if any.
func (f *validateFlags) print(w io.Writer, v validation) error {
	var err error
	if f.json {
		if v.Thresholds == nil {
			v.Thresholds = []validate.Verdict{} // an empty list, not null
		}
		err = printJSON(w, v)
	} else {
		err = v.print(w)
	}
	if err != nil {
		return err
	}
	if missed := validate.Missed(v.Thresholds); missed != nil {
		return exitError{exitThreshold, missed}
	}
	return nil
}

// print writes the result for people.
func (v validation) print(w io.Writer) error {
	elapsed := time.Duration(v.Seconds * float64(time.Second))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "reference\t%s\n", v.Reference)
	fmt.Fprintf(t, "candidate\t%s\n", v.Candidate)
	fmt.Fprintf(t, "text\t%s: %s in windows of %d\n", v.Text, plural(v.Tokens, "token"), v.Window)
	fmt.Fprintf(t, "time\t%s: %s, %s\n", formatSeconds(elapsed), formatRate(v.Tokens, elapsed), plural(v.Threads, "thread"))
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(t, "\nKL divergence\tmean\t50 %%\t90 %%\t95 %%\t99 %%\t99.9 %%\tmax\n")
	for _, x := range []float64{v.KL.Mean, v.KL.P50, v.KL.P90, v.KL.P95, v.KL.P99, v.KL.P999, v.KL.Max} {
		fmt.Fprintf(t, "\t%s", formatKL(x))
	}
	fmt.Fprintf(t, "\nperplexity\treference\tcandidate\tratio\n\t%.4f\t%.4f\t%.5f\n", v.PPL.Reference, v.PPL.Candidate, v.PPL.Ratio)
	fmt.Fprintf(t, "same top token\t%.2f %%\n", 100*v.Top1)
	if err := t.Flush(); err != nil {
		return err
	}
	v.printWorst(w)
	for _, x := range v.Thresholds {
		verdict := "kept"
		if !x.Good {
			verdict = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%s %g\t%.6g\t%s\n", x.Name, x.Bound, x.Limit, x.Found, verdict)
	}
	return t.Flush()
}

// formatKL writes a divergence in a form that can be compared by eye as long as it matters.
func formatKL(x float64) string {
	if x != 0 && x < 1e-4 {
		return fmt.Sprintf("%.1e", x)
	}
	return fmt.Sprintf("%.5f", x)
}

// printWorst shows where the models are furthest apart, unless they are nowhere.
func (v validation) printWorst(w io.Writer) {
	if v.KL.Max == 0 {
		return
	}
	fmt.Fprintln(w, "\nfurthest apart, with the likeliest next token of each:")
	for _, p := range v.Worst {
		fmt.Fprintf(w, "  %s  …%q  reference %s, candidate %s\n", formatKL(p.KL), p.Context, formatGuess(p.Reference), formatGuess(p.Candidate))
	}
	if len(v.Thresholds) > 0 {
		fmt.Fprintln(w)
	}
}

func formatGuess(g validate.Guess) string {
	if g.Text == "" {
		return fmt.Sprintf("id %d %.0f %%", g.ID, 100*g.P)
	}
	return fmt.Sprintf("%q %.0f %%", g.Text, 100*g.P)
}

// String describes the model in a line.
func (v validated) String() string {
	if v.Weights != "int8" {
		return fmt.Sprintf("%s: %s weights", v.Model, v.Weights)
	}
	groups := "a scale a row"
	if v.GroupSize > 0 {
		groups = fmt.Sprintf("groups of %d", v.GroupSize)
	}
	s := fmt.Sprintf("%s: int8 weights, %s, %s activations", v.Model, groups, v.Activations)
	if v.Head != "" {
		s += ", head " + v.Head
	}
	return s
}
