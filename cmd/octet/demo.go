package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"octet/convert"
	"octet/loader"
	"octet/runtime"
	"octet/runtime/sampler"
	"octet/runtime/validate"
	"octet/testdata/demo"
)

// demoTokens of text are enough to see what int8 costs, and take a second or two.
const demoTokens = 1024

func newDemoCommand() *cobra.Command {
	var threads int
	var keep string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole idea in a few seconds, on an embedded model",
		Long: `Converts the embedded demo model (2.8 million parameters, trained on stories for children) to
int8, measures how far that is from float, and lets it write a story.`,
		Example: `  octet demo
  octet demo --keep ./demo-int8    # keep the converted model`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkThreads(threads); err != nil {
				return err
			}
			if keep != "" {
				return runDemo(c, keep, threads)
			}
			dir, err := os.MkdirTemp("", "octet-demo-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			return runDemo(c, filepath.Join(dir, "demo-int8"), threads)
		},
	}
	registerThreads(c, &threads)
	registerPath(c, &keep, "keep", "", "write the int8 model to `DIR` and leave it there")
	return c
}

// runDemo goes through convert, validate and run, with the int8 model in dst.
func runDemo(c *cobra.Command, dst string, threads int) error {
	if err := demoConvert(c, dst, threads); err != nil {
		return err
	}
	o := runtime.Options{Threads: threads}
	float, err := runtime.LoadFS(demo.FS, o)
	if err != nil {
		return err
	}
	defer float.Close()
	start := time.Now()
	int8Model, err := runtime.Load(dst, o)
	if err != nil {
		return err
	}
	defer int8Model.Close()
	loaded := time.Since(start)
	if err := demoValidate(c, float, int8Model); err != nil {
		return err
	}
	return demoStory(c, int8Model, loaded)
}

func demoConvert(c *cobra.Command, dst string, threads int) error {
	ck, err := loader.OpenFS(demo.FS)
	if err != nil {
		return err
	}
	defer ck.Close()
	s, err := convert.RunCheckpoint(c.Context(), ck, dst, convert.Options{Threads: threads})
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "convert   the demo model to int8, a scale for each %d weights: %s -> %s in %s\n",
		s.GroupSize, formatBytes(s.SourceBytes), formatBytes(s.DestinationBytes), formatSeconds(s.Elapsed))
	fmt.Fprintf(out, "          %d matrices, relative error %.2f %%; embeddings and norms stay as they are\n",
		len(s.Matrices), 100*s.RelativeRMSError)
	return nil
}

func demoValidate(c *cobra.Command, float, int8Model *runtime.Model) error {
	ids, err := float.Encode(validate.Stories())
	if err != nil {
		return err
	}
	start := time.Now()
	r, err := validate.Compare(c.Context(), float, int8Model, ids[:min(len(ids), demoTokens)], validate.Options{})
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "validate  int8 against float on %d tokens in %s\n", r.Tokens, formatSeconds(time.Since(start)))
	fmt.Fprintf(out, "          KL divergence mean %.1e, largest %.1e; the same likeliest token %.1f %%\n",
		r.KL.Mean, r.KL.Max, 100*r.Top1)
	fmt.Fprintf(out, "          perplexity %.4f float, %.4f int8\n", r.PPL.Reference, r.PPL.Candidate)
	return nil
}

func demoStory(c *cobra.Command, m *runtime.Model, loaded time.Duration) error {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "run       int8 model loaded in %s; \"octet run\" continues a text:\n\n%s", formatSeconds(loaded), demoPrompt)
	ids, err := m.Encode(demoPrompt)
	if err != nil {
		return err
	}
	o := runtime.GenerateOptions{Sampler: sampler.Options{Temperature: 0.8, TopP: 0.9, Seed: 1}}
	r, err := m.NewSession().Generate(c.Context(), ids, o, func(t runtime.Token) error {
		_, err := fmt.Fprint(out, t.Text)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n\n          %d tokens in %s: %s, %s\n",
		len(r.Tokens), formatSeconds(r.DecodeTime), formatRate(len(r.Tokens), r.DecodeTime), plural(m.Threads(), "thread"))
	_, err = fmt.Fprintf(out, "\nNext: octet chat; octet --help; or a model of yours: octet convert MODEL_DIR INT8_DIR\n")
	return err
}
