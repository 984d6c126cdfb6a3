package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func printBench(w io.Writer, form string, results []benchResult) error {
	switch form {
	case "json":
		return printJSON(w, results)
	case "csv":
		return printBenchCSV(w, results)
	}
	return printBenchTable(w, results)
}

// printBenchTable prints what differs between the tests as a table that a terminal of 80
// columns holds, and the rest below it.
func printBenchTable(w io.Writer, results []benchResult) error {
	compared := len(results) > 0 && results[0].Side != ""
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "test\tdepth\ttokens/s\tbytes/token\tGB/s\tshare"
	if compared {
		head = "side\t" + head + "\tB to A"
	}
	fmt.Fprintln(t, head)
	for _, r := range results {
		if compared {
			fmt.Fprintf(t, "%s\t", r.Side)
		}
		fmt.Fprintf(t, "%s\t%d\t%s ± %s\t%s\t%.2f\t%.1f %%", r.Test, r.Depth, formatSpeed(r.TokensPerSecond),
			formatSpeed(r.Stddev), formatBytes(r.BytesPerToken), r.GBPerSecond, 100*r.BandwidthShare)
		if r.Ratio > 0 {
			fmt.Fprintf(t, "\t%.3f ± %.3f", r.Ratio, *r.RatioStddev)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printBenchNotes(w, results)
}

// formatSpeed writes tokens a second, slow ones more exactly.
func formatSpeed(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// printBenchNotes prints what concerns all tests of a side, under the table.
func printBenchNotes(w io.Writer, results []benchResult) error {
	if len(results) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	for _, side := range []string{"", "A", "B"} {
		var last *benchResult
		most := int64(0)
		for i := range results {
			if results[i].Side == side {
				last, most = &results[i], max(most, results[i].MemoryBytes)
			}
		}
		if last == nil {
			continue
		}
		for _, line := range last.notes(most) {
			fmt.Fprintln(w, strings.TrimSpace(side+" "+line))
		}
	}
	return nil
}

// notes are lines about what concerns all tests of the result's side.
func (r *benchResult) notes(memory int64) []string {
	peak := ""
	if r.PeakBytes > 0 {
		peak = fmt.Sprintf(" (process %s, the large buffer included)", formatBytes(r.PeakBytes))
	}
	return []string{
		fmt.Sprintf("model: %s", r.Model),
		fmt.Sprintf("%s weights, %s activations, %s cache; %s, threads: %d", r.Weights, r.Activations, r.KV, r.Backend, r.Threads),
		fmt.Sprintf("memory: weights and cache %s%s", formatBytes(memory), peak),
		fmt.Sprintf("first token after %s; reading a large buffer: %.1f GB/s",
			formatSeconds(time.Duration(r.LoadSeconds*float64(time.Second))), r.ReadGBPerSecond),
	}
}

func printBenchCSV(w io.Writer, results []benchResult) error {
	out := csv.NewWriter(w)
	out.Write([]string{"model", "backend", "activations", "weights", "threads", "test", "depth",
		"tokens_per_second", "stddev", "bytes_per_token", "gb_per_second", "bandwidth_share",
		"read_gb_per_second", "memory_bytes", "peak_bytes", "kv", "load_seconds", "side", "ratio", "ratio_stddev"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, r := range results {
		row := []string{r.Model, r.Backend, r.Activations, r.Weights, strconv.Itoa(r.Threads), r.Test, strconv.Itoa(r.Depth),
			number(r.TokensPerSecond), number(r.Stddev), whole(r.BytesPerToken), number(r.GBPerSecond), number(r.BandwidthShare),
			number(r.ReadGBPerSecond), whole(r.MemoryBytes), whole(r.PeakBytes), r.KV, number(r.LoadSeconds), r.Side, "", ""}
		if r.Ratio > 0 {
			row[len(row)-2], row[len(row)-1] = number(r.Ratio), number(*r.RatioStddev)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
