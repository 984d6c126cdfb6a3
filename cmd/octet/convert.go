package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"octet/convert"
)

// convertFlags are the flags of octet convert.
type convertFlags struct {
	groupSize, threads int
	format             choice
	tokenizer          string
	overwrite, json    bool
}

func newConvertCommand() *cobra.Command {
	f := &convertFlags{format: newChoice("pack-quantized", "llama2c")}
	c := &cobra.Command{
		Use:   "convert SRC DST",
		Short: "Make an int8 model of a float one",
		Long: `convert makes the weights of the model SRC int8 and writes the result to DST.

SRC is a Hugging Face directory with BF16, F16 or F32 weights, or a llama2.c .bin file. DST is a
directory in the pack-quantized form of compressed-tensors, which transformers and vLLM open
too, or with --format llama2c a version 2 .bin file for runq.c.

Each --group-size weights in a row share a scale: 64 cost 8.25 bits a weight, 32 cost 8.5 and
are more exact. A size that does not divide every matrix is replaced by the next smaller one
that does. SRC is never changed, and DST appears only when it is complete.`,
		Example: `  octet convert ./SmolLM2-135M ./SmolLM2-135M-int8
  octet convert ./SmolLM2-135M ./SmolLM2-135M-int8 --group-size 32 --overwrite
  octet convert ./stories15M.bin ./stories15M-q80.bin --format llama2c`,
		Args: sourceAndDestination,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0], args[1]) },
	}
	c.Flags().IntVar(&f.groupSize, "group-size", 64, "`N` inputs share a scale: 32, 64 or 128")
	c.Flags().Var(&f.format, "format", "what to write")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a model that DST holds")
	registerPath(c, &f.tokenizer, "tokenizer", "", "tokenizer.bin `FILE` of a llama2.c SRC, where it is not beside it")
	c.Flags().BoolVar(&f.json, "json", false, "print the summary as JSON")
	registerThreads(c, &f.threads)
	return c
}

func sourceAndDestination(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usageError("SRC and DST expected, found %s", plural(len(args), "argument"))
	}
	return nil
}

func (f *convertFlags) run(c *cobra.Command, src, dst string) error {
	if err := cmp.Or(checkThreads(f.threads), checkGroupSize(f.groupSize), checkBackend()); err != nil {
		return err
	}
	format, err := convert.ParseFormat(f.format.value)
	if err != nil {
		return err
	}
	bar := newProgress(c.ErrOrStderr(), "converting", 1, true)
	s, err := convert.Run(c.Context(), src, dst, convert.Options{
		GroupSize: f.groupSize,
		Format:    format,
		Threads:   f.threads,
		Overwrite: f.overwrite,
		Tokenizer: f.tokenizer,
		Progress: func(done, total int64) {
			bar.ChangeMax64(total)
			bar.Set64(done)
		},
	})
	bar.Clear()
	if err != nil {
		return err
	}
	for _, note := range convertNotes(s) {
		fmt.Fprintln(c.ErrOrStderr(), "octet:", note)
	}
	if f.json {
		return printJSON(c.OutOrStdout(), s)
	}
	return printSummary(c.OutOrStdout(), s)
}

// convertNotes are what the user has to know beside the summary.
func convertNotes(s *convert.Summary) []string {
	notes := s.Notes
	if s.GroupSize != s.GroupAsked {
		notes = append([]string{fmt.Sprintf("groups of %d inputs, as %d does not divide the inputs of every matrix",
			s.GroupSize, s.GroupAsked)}, notes...)
	}
	return notes
}

// worstShown is the number of matrices that the summary lists.
const worstShown = 5

func printSummary(w io.Writer, s *convert.Summary) error {
	fmt.Fprintf(w, "%s → %s in %s\n\n", s.Source, s.Destination, formatSeconds(s.Elapsed))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "weights\t%s → %s (%.1f %%)\n", formatBytes(s.SourceBytes), formatBytes(s.DestinationBytes), percent(s.DestinationBytes, s.SourceBytes))
	fmt.Fprintf(t, "int8\t%s, %s\n", matrices(len(s.Matrices)), groups(s))
	fmt.Fprintf(t, "error\t%.3f %% of the weights' root mean square; largest %.2g\n", 100*s.RelativeRMSError, s.MaxError)
	for i, m := range worst(s.Matrices) {
		label := ""
		if i == 0 {
			label = "worst"
		}
		fmt.Fprintf(t, "%s\t%.3f %%  %s [%d, %d]\n", label, 100*m.RelativeRMSError, m.Name, m.Rows, m.Cols)
	}
	fmt.Fprintf(t, "files\t%s\n", strings.Join(s.Files, ", "))
	if len(s.Copied) > 0 {
		fmt.Fprintf(t, "copied\t%s\n", strings.Join(s.Copied, ", "))
	}
	return t.Flush()
}

// worst returns the matrices with the largest errors, the worst first.
func worst(all []convert.MatrixError) []convert.MatrixError {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b convert.MatrixError) int {
		return cmp.Compare(b.RelativeRMSError, a.RelativeRMSError)
	})
	return sorted[:min(len(sorted), worstShown)]
}

func percent(part, whole int64) float64 {
	return 100 * float64(part) / float64(max(whole, 1))
}

// groups says how many inputs share a scale, and how many were asked to.
func groups(s *convert.Summary) string {
	text := fmt.Sprintf("%d inputs share a scale", s.GroupSize)
	if s.GroupSize != s.GroupAsked {
		text += fmt.Sprintf(" (%d asked for)", s.GroupAsked)
	}
	return text
}

func matrices(n int) string {
	if n == 1 {
		return "1 matrix"
	}
	return fmt.Sprintf("%d matrices", n)
}
