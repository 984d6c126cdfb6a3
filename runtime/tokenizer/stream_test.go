package tokenizer

import (
	"errors"
	"slices"
	"testing"
)

// ids finds the ids of tokens by their spelling.
func ids(t *testing.T, tok *Tokenizer, tokens ...string) []int {
	t.Helper()
	var all []int
	for _, token := range tokens {
		id, ok := tok.ID(token)
		if !ok {
			t.Fatalf("no token %q", token)
		}
		all = append(all, id)
	}
	return all
}

func TestStreamHoldsCharactersBack(t *testing.T) {
	for _, c := range []struct {
		name, style string
		tokens      []string
		want        []string // of each Push, and of Flush
	}{
		{"byte level", "gpt2", []string{"Ã", "©", "x", "Ã"}, []string{"", "é", "x", "", "\uFFFD"}},
		{"byte level, broken", "gpt2", []string{"Ã", "x", "ð", "Ł", "x"}, []string{"", "\uFFFDx", "", "", "\uFFFDx", ""}},
		{"byte fallback", "gemma", []string{"<0xC3>", "<0xA9>", "<0x41>", "x"}, []string{"", "é", "A", "x", ""}},
		{"byte fallback, broken", "gemma", []string{"<0x41>", "<0xC3>", "<0x41>", "<0xC3>", "<0xA9>", "x"}, []string{"A", "", "\uFFFD\uFFFD", "\uFFFD", "\uFFFD", "x", ""}},
		{"byte fallback, cut off", "gemma", []string{"<0x41>", "<0xE2>", "<0x82>"}, []string{"A", "", "", "\uFFFD\uFFFD"}},
		{"first space", "llama2", []string{"▁the", "▁the"}, []string{"the", " the", ""}},
		{"first space alone", "llama2", []string{"▁", "▁", "t"}, []string{"", " ", "t", ""}},
		{"special", "llama2", []string{"<s>", "▁the", "</s>"}, []string{"", "the", "", ""}},
		{"sentencepiece", "sentencepiece/tokenizer.model", []string{"▁the", "<0xC3>", "<0xA9>", "<0xC3>", "x"}, []string{"the", "", "é", "", "\uFFFDx", ""}},
		{"llama2.c", "sentencepiece/tokenizer.bin", []string{" the", " the", "<0xC3>", "<0xA9>"}, []string{"the", " the", "", "é", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tok := load(t, c.style)
			s := tok.NewStream(true)
			for range 2 { // after Flush it begins anew
				var got []string
				for _, id := range ids(t, tok, c.tokens...) {
					text, err := s.Push(id)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, text)
				}
				got = append(got, s.Flush())
				if !slices.Equal(got, c.want) {
					t.Errorf("%q, want %q", got, c.want)
				}
			}
		})
	}
}

func TestIDsOutOfRange(t *testing.T) {
	for _, file := range append([]string{"sentencepiece/tokenizer.model", "sentencepiece/tokenizer.bin"}, styles...) {
		tok := load(t, file)
		for _, id := range []int{-1, tok.Size(), 1 << 40, -1 << 40} {
			if _, err := tok.Decode([]int{0, id}, false); !errors.Is(err, ErrRange) {
				t.Errorf("%s: Decode(%d): %v", file, id, err)
			}
			if _, err := tok.NewStream(false).Push(id); !errors.Is(err, ErrRange) {
				t.Errorf("%s: Push(%d): %v", file, id, err)
			}
			if token, ok := tok.Token(id); ok || tok.Special(id) {
				t.Errorf("%s: Token(%d) = %q", file, id, token)
			}
		}
	}
}
