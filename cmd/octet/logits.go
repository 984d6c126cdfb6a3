package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"octet/runtime"
)

// logitsFlags are the flags of octet logits.
type logitsFlags struct {
	modelFlags
	ids, text, out string
	hidden         bool
}

func newLogitsCommand() *cobra.Command {
	f := &logitsFlags{}
	c := &cobra.Command{
		Use:   "logits (--ids IDS | --text TEXT) --out FILE",
		Short: "Write a model's logits to a safetensors file, to compare them with other engines",
		Long: `logits runs a model over a sequence of tokens and writes a safetensors file:

  ids       I64 [T]              the tokens
  logits    F32 [T, vocabulary]  what the model predicts after each of them
  hidden.N  F32 [T, dim]         with --hidden: what enters layer N = 0, 1, …, and at last what
                                 leaves the last layer, before the final norm

It goes through the same forward pass as run and chat.`,
		Example: `  octet logits --text "Once upon a time" --out story.safetensors
  octet logits -m ./SmolLM2-135M-int8 --ids 1,504,3575 --activations float --hidden --out out.safetensors`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.registerAll(c)
	c.Flags().StringVar(&f.ids, "ids", "", "token `IDS`, separated by commas or spaces")
	c.Flags().StringVar(&f.text, "text", "", "`TEXT` to encode, with the special tokens that the tokenizer adds")
	registerPath(c, &f.out, "out", "", "safetensors `FILE` to write; one that is there is replaced")
	c.Flags().BoolVar(&f.hidden, "hidden", false, "write the hidden states too")
	c.MarkFlagsOneRequired("ids", "text")
	c.MarkFlagsMutuallyExclusive("ids", "text")
	c.MarkFlagRequired("out")
	return c
}

func (f *logitsFlags) run(c *cobra.Command) error {
	m, err := f.load(c)
	if err != nil {
		return err
	}
	defer m.Close()
	ids, err := f.sequence(c, m)
	if err != nil {
		return err
	}
	tensors, err := f.eval(c.Context(), m, ids)
	if err != nil {
		return err
	}
	return replaceFile(f.out, func(w io.Writer) error { return writeTensors(w, tensors) })
}

// sequence returns the tokens to run the model over.
func (f *logitsFlags) sequence(c *cobra.Command, m *runtime.Model) (ids []int, err error) {
	if c.Flags().Changed("ids") {
		if ids, err = parseIDs(f.ids); err != nil {
			err = usageError("--ids: %w", err)
		}
	} else {
		ids, err = m.Encode(f.text)
	}
	if err == nil && len(ids) == 0 {
		err = usageError("no tokens: --ids or --text must not be empty")
	}
	return ids, err
}

// eval returns the tensors of the file.
func (f *logitsFlags) eval(ctx context.Context, m *runtime.Model, ids []int) (map[string]tensor, error) {
	s := m.NewSession()
	dim := m.Config().HiddenSize
	tensors := map[string]tensor{"ids": int64Tensor(ids)}
	if f.hidden {
		s.OnHidden = func(layer, pos int, h []float32) {
			name := "hidden." + strconv.Itoa(layer)
			tensors[name] = tensors[name].appendRows(h, dim)
		}
	}
	// In one piece, as with dynamic RoPE the pieces would matter.
	logits, err := s.Eval(ctx, ids, len(ids))
	if err != nil {
		return nil, fmt.Errorf("%d tokens: %w", len(ids), err)
	}
	tensors["logits"] = tensor{}.appendRows(logits, m.Config().VocabSize)
	return tensors, nil
}
