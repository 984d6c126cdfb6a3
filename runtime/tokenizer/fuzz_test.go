package tokenizer

import (
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// exercise uses a tokenizer that came from a hostile file: nothing may panic, and what Encode
// gives Decode takes.
func exercise(t *testing.T, tok *Tokenizer) {
	t.Helper()
	for _, text := range []string{"", " a  b'S 12\n\n<s>é字🎉 ab▁c", strings.Repeat("ab ", 50)} {
		ids, err := tok.Encode(text, true)
		if err != nil {
			continue
		}
		got, err := tok.Decode(ids, false)
		if err != nil || !utf8.ValidString(got) {
			t.Errorf("Encode(%q) = %v, decoded %q, %v", text, ids, got, err)
		}
	}
	s := tok.NewStream(true)
	for id := range min(tok.Size(), 300) {
		if text, err := s.Push(id); err != nil || !utf8.ValidString(text) {
			t.Errorf("Push(%d) = %q, %v", id, text, err)
		}
		if _, ok := tok.Token(id); ok != tok.vocab.has(id) {
			t.Errorf("Token(%d): %v", id, ok)
		}
	}
	if text := s.Flush(); !utf8.ValidString(text) {
		t.Errorf("Flush() = %q", text)
	}
}

// FuzzEncode: byte-level tokenizers without normalizer give every text back, and all tokenizers
// take every text.
func FuzzEncode(f *testing.F) {
	tokens := map[string]*Tokenizer{}
	for _, style := range append([]string{"sentencepiece/tokenizer.model", "sentencepiece/tokenizer.bin"}, styles...) {
		tokens[style] = load(f, style)
	}
	for _, v := range readVectors(f, "llama3").Vectors {
		f.Add(v.Text)
	}
	f.Add("\xff\xc3(\xe2\x82")
	f.Fuzz(func(t *testing.T, text string) {
		for style, tok := range tokens {
			ids, err := tok.Encode(text, true)
			if err != nil {
				t.Fatalf("%s: Encode(%q): %v", style, text, err)
			}
			got, err := tok.Decode(ids, false)
			if err != nil {
				t.Fatalf("%s: Decode(%v): %v", style, ids, err)
			}
			switch style {
			case "gpt2", "smollm2":
				if got != validText(text) {
					t.Errorf("%s: %q comes back as %q", style, text, got)
				}
			case "llama3":
				if got != "<|begin_of_text|>"+validText(text) {
					t.Errorf("%s: %q comes back as %q", style, text, got)
				}
			}
			if streamed := stream(t, tok.NewStream(false), ids); streamed != got && len(brokenRuns(tok, ids)) == 0 {
				t.Errorf("%s: stream of %v = %q, want %q", style, ids, streamed, got)
			}
		}
	})
}

func FuzzLoadJSON(f *testing.F) {
	all := readComponents(f)
	for _, c := range all.Cases {
		f.Add(all.with(f, c.Tokenizer))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if tok, err := parseJSON(data); err == nil {
			exercise(t, tok)
		}
	})
}

func FuzzLoadModel(f *testing.F) {
	f.Add(read(f, "sentencepiece", "tokenizer.model"))
	f.Add([]byte(protoPiece("<unk>", 0, pieceUnknown) + protoPiece("a", -1, pieceNormal) + protoPiece("<x>", 0, pieceUserDefined) + protoPiece("ab", 0, pieceUnused) + protoBPE))
	f.Fuzz(func(t *testing.T, data []byte) {
		if tok, err := parseSentencePiece(data, fstest.MapFS{}); err == nil {
			exercise(t, tok)
		}
	})
}

func FuzzLoadBin(f *testing.F) {
	f.Add(read(f, "sentencepiece", "tokenizer.bin"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 {
			return
		}
		if tok, err := parseLlama2C(data); err == nil {
			exercise(t, tok)
		}
	})
}
