package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"octet/loader"
	"octet/runtime/tokenizer"
	"octet/testdata/demo"
)

// tokenizeFlags are the flags of octet tokenize.
type tokenizeFlags struct {
	modelFlags
	decode, noSpecial, skipSpecial, json bool
}

func newTokenizeCommand() *cobra.Command {
	f := &tokenizeFlags{}
	c := &cobra.Command{
		Use:   "tokenize",
		Short: "Turn text from stdin into token ids, or ids into text",
		Long: `tokenize reads text from stdin, to the last byte, and prints its token ids separated by
spaces. --decode goes the other way: it reads ids separated by spaces, commas or newlines and
prints their text exactly, with no newline added.

-m may be a model, a directory that holds a tokenizer only, or a tokenizer file
(tokenizer.json, tokenizer.model, a llama2.c tokenizer.bin).`,
		Example: `  echo -n "Once upon a time" | octet tokenize
  echo -n "Once upon a time" | octet tokenize --no-special | octet tokenize --decode
  octet tokenize -m ./SmolLM2-135M --json < story.txt`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	registerPath(c, &f.model, "model", "m", "model, directory with a tokenizer, or tokenizer file `PATH` (default: the embedded demo model)")
	c.Flags().BoolVar(&f.decode, "decode", false, "read ids, print text")
	c.Flags().BoolVar(&f.noSpecial, "no-special", false, "leave out the tokens that the tokenizer puts around a text (BOS, EOS)")
	c.Flags().BoolVar(&f.skipSpecial, "skip-special", false, "with --decode: leave out special tokens")
	c.Flags().BoolVar(&f.json, "json", false, `print {"ids": […], "tokens": […]}`)
	c.MarkFlagsMutuallyExclusive("decode", "no-special")
	return c
}

func (f *tokenizeFlags) run(c *cobra.Command) error {
	if f.skipSpecial && !f.decode {
		return usageError("--skip-special: only with --decode")
	}
	t, err := openTokenizer(f.model)
	if err != nil {
		return err
	}
	in, err := readInput(c)
	if err != nil {
		return err
	}
	if f.decode {
		return f.printText(c.OutOrStdout(), t, string(in))
	}
	return f.printIDs(c.OutOrStdout(), t, string(in))
}

// tokens is what --json prints.
type tokens struct {
	IDs    []int    `json:"ids"`
	Tokens []string `json:"tokens"`
	Text   *string  `json:"text,omitempty"` // with --decode
}

func (f *tokenizeFlags) printIDs(w io.Writer, t *tokenizer.Tokenizer, text string) error {
	ids, err := t.Encode(text, !f.noSpecial)
	if err != nil {
		return err
	}
	if f.json {
		return printTokens(w, t, ids, nil)
	}
	out := make([]byte, 0, 6*len(ids)+1)
	for i, id := range ids {
		if i > 0 {
			out = append(out, ' ')
		}
		out = strconv.AppendInt(out, int64(id), 10)
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

func (f *tokenizeFlags) printText(w io.Writer, t *tokenizer.Tokenizer, list string) error {
	ids, err := parseIDs(list)
	if err != nil {
		return err
	}
	text, err := t.Decode(ids, f.skipSpecial)
	if err != nil {
		return err
	}
	if f.json {
		return printTokens(w, t, ids, &text)
	}
	_, err = io.WriteString(w, text)
	return err
}

func printTokens(w io.Writer, t *tokenizer.Tokenizer, ids []int, text *string) error {
	out := tokens{IDs: ids, Tokens: make([]string, len(ids)), Text: text}
	if ids == nil {
		out.IDs = []int{} // an empty list, not null
	}
	for i, id := range ids {
		out.Tokens[i], _ = t.Token(id) // ids that no token has were refused before
	}
	return printJSON(w, out)
}

// parseIDs reads token ids separated by white space or commas.
func parseIDs(list string) ([]int, error) {
	words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	ids := make([]int, len(words))
	for i, word := range words {
		id, err := strconv.ParseInt(word, 10, 32)
		if err != nil || id < 0 {
			return nil, fmt.Errorf("token ids: number %d: an id expected, found %.40q", i+1, word)
		}
		ids[i] = int(id)
	}
	return ids, nil
}

// openTokenizer loads the tokenizer at path: a directory, a tokenizer file, a llama2.c model
// with a tokenizer beside it, or the demo model's for "".
func openTokenizer(path string) (*tokenizer.Tokenizer, error) {
	if path == "" {
		return tokenizer.Load(demo.FS)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if info.IsDir() {
		return tokenizer.Load(os.DirFS(path))
	}
	if strings.HasSuffix(path, ".bin") {
		// Models and tokenizers of llama2.c have the same ending; the header tells.
		if ck, err := loader.Open(path); err == nil {
			defer ck.Close()
			return tokenizer.Load(ck.FS())
		}
	}
	return tokenizer.LoadFile(path)
}
