package main

import (
	"fmt"
	"strings"

	"octet/runtime"
	"octet/runtime/chat"
	"octet/runtime/tokenizer"
)

// specialText finds the special tokens that a chat template writes as text. A tokenizer.json
// knows them by their text; a tokenizer.model or tokenizer.bin takes "<s>" for three
// characters, so that the tokens at the borders of a turn are cut out before.
type specialText struct {
	tokenizer *tokenizer.Tokenizer
	bos, eos  specialToken
}

// specialToken is a token with the text that stands for it in a prompt.
type specialToken struct {
	text string
	id   int
	cut  bool // the tokenizer does not find it by itself
}

// newSpecialText takes the texts from the model's tokenizer_config.json, or where there is none
// "<s>" and "</s>", if the tokenizer has them.
func newSpecialText(m *runtime.Model) (s specialText, err error) {
	if s.tokenizer = m.Tokenizer(); s.tokenizer == nil {
		return s, fmt.Errorf("%w beside the weights", tokenizer.ErrMissing)
	}
	bos, eos, err := chat.SpecialTokens(m.Checkpoint().FS())
	if err != nil {
		return s, err
	}
	if bos == "" && eos == "" {
		bos, eos = "<s>", "</s>"
	}
	s.bos, s.eos = s.find(bos), s.find(eos)
	return s, nil
}

// find looks text up in the vocabulary, also as llama2.c spells it: between newlines.
func (s specialText) find(text string) specialToken {
	for _, spelling := range []string{text, "\n" + text + "\n"} {
		if id, ok := s.tokenizer.ID(spelling); ok && text != "" {
			ids, err := s.tokenizer.Encode(text, false)
			return specialToken{text: text, id: id, cut: err != nil || len(ids) != 1 || ids[0] != id}
		}
	}
	return specialToken{text: text}
}

// encode returns the ids of a rendered prompt; nothing is added to it.
func (s specialText) encode(prompt string) ([]int, error) {
	var ids []int
	for prompt != "" {
		before, token, after := s.next(prompt)
		if before != "" {
			part, err := s.tokenizer.Encode(before, false)
			if err != nil {
				return nil, err
			}
			ids = append(ids, part...)
		}
		if token.cut {
			ids = append(ids, token.id)
		}
		prompt = after
	}
	return ids, nil
}

// next splits prompt at the first token that must be cut out.
func (s specialText) next(prompt string) (before string, token specialToken, after string) {
	before = prompt
	for _, t := range []specialToken{s.bos, s.eos} {
		if !t.cut {
			continue
		}
		if at := strings.Index(prompt, t.text); at >= 0 && at < len(before) {
			before, token, after = prompt[:at], t, prompt[at+len(t.text):]
		}
	}
	return before, token, after
}
