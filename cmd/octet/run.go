package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"octet/runtime"
)

// demoPrompt is what the demo model continues where no prompt is given.
const demoPrompt = "Once upon a time, there was"

func newRunCommand() *cobra.Command {
	var (
		model    modelFlags
		sampling samplingFlags
		asJSON   bool
	)
	c := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Continue a text",
		Long: `Continues PROMPT, or the text on stdin if it is no terminal, and writes the new text to stdout
as it comes. Nothing is added to the prompt but what the tokenizer puts around a text; for a
conversation with a model that was trained for it use "octet chat".

With --json each token is an object on a line of its own, {"id","text"}; id -1 carries text that
was held back until the end. The last line says how it went.`,
		Example: `  octet run "Once upon a time, there was a little fox named"
  octet run -m ./SmolLM2-135M-int8 --temperature 0.8 --seed 1 -n 60 "The three largest rivers"
  octet run -m stories15M.bin --json < prompt.txt`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := sampling.given(); err != nil {
				return err
			}
			prompt, err := runPrompt(c, args, model.model == "")
			if err != nil {
				return err
			}
			m, err := model.load(c)
			if err != nil {
				return err
			}
			defer m.Close()
			o, err := sampling.options(c, m.Checkpoint().Generation)
			if err != nil {
				return err
			}
			ids, err := m.Encode(prompt)
			if err != nil {
				return err
			}
			if asJSON {
				return runJSON(c, m, ids, o)
			}
			return runText(c, m, ids, o)
		},
	}
	model.registerAll(c)
	sampling.register(c, 256)
	c.Flags().BoolVar(&asJSON, "json", false, "write an object a token, and one with the totals")
	return c
}

// runPrompt is the argument, or stdin; on a terminal the demo model has a prompt of its own, which
// is shown.
func runPrompt(c *cobra.Command, args []string, demo bool) (string, error) {
	switch {
	case len(args) == 1:
		return args[0], nil
	case !isTerminal(c.InOrStdin()):
		text, err := readInput(c)
		if err == nil && len(text) == 0 {
			err = usageError("a prompt is needed, as an argument or on stdin; stdin is empty")
		}
		return string(text), err
	case demo:
		fmt.Fprint(c.ErrOrStderr(), demoPrompt)
		return demoPrompt, nil
	}
	return "", usageError("a prompt is needed, as an argument or on stdin")
}

func runText(c *cobra.Command, m *runtime.Model, ids []int, o runtime.GenerateOptions) error {
	r, err := m.NewSession().Generate(c.Context(), ids, o, func(t runtime.Token) error {
		_, err := io.WriteString(c.OutOrStdout(), t.Text)
		return err
	})
	if r.PromptTokens == 0 {
		return err
	}
	fmt.Fprintln(c.OutOrStdout())
	fmt.Fprintf(c.ErrOrStderr(), "[%s]\n", summary(r))
	return err
}

func runJSON(c *cobra.Command, m *runtime.Model, ids []int, o runtime.GenerateOptions) error {
	out := json.NewEncoder(c.OutOrStdout())
	out.SetEscapeHTML(false)
	r, err := m.NewSession().Generate(c.Context(), ids, o, func(t runtime.Token) error {
		return out.Encode(struct {
			ID   int    `json:"id"`
			Text string `json:"text"`
		}{t.ID, t.Text})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(err, out.Encode(struct {
		StopReason    runtime.StopReason `json:"stop_reason"`
		PromptTokens  int                `json:"prompt_tokens"`
		Tokens        int                `json:"tokens"`
		Seed          uint64             `json:"seed"`
		PromptSeconds float64            `json:"prompt_seconds"`
		DecodeSeconds float64            `json:"decode_seconds"`
	}{r.StopReason, r.PromptTokens, len(r.Tokens), o.Sampler.Seed, r.PromptTime.Seconds(), r.DecodeTime.Seconds()}))
}
