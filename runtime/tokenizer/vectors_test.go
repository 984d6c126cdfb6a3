package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const testdata = "../../testdata/tokenizers"

// styles are the folders of testdata that hold a tokenizer.json.
var styles = []string{"llama3", "qwen", "gpt2", "smollm2", "llama2", "phi3", "mistral", "gemma"}

// vectors are texts and ids by the tokenizers library (tokenizer.json), the sentencepiece library
// (ids, ids_bos, decode, decode_bos) and llama2.c's run.c (llama2c_ids_bos).
type vectors struct {
	VocabSize  int      `json:"vocab_size"`
	Special    []string `json:"special"`
	Vectors    []vector `json:"vectors"`
	DecodeOnly []vector `json:"decode_only"`
}

type vector struct {
	Text              string   `json:"text"`
	IDs               []int    `json:"ids"`
	IDsSpecial        []int    `json:"ids_special"`
	IDsBOS            []int    `json:"ids_bos"`
	Llama2C           []int    `json:"llama2c_ids_bos"`
	Decode            string   `json:"decode"`
	DecodeSkip        string   `json:"decode_skip"`
	DecodeBOS         string   `json:"decode_bos"`
	DecodeSpecial     string   `json:"decode_special"`
	DecodeSpecialSkip string   `json:"decode_special_skip"`
	Pre               []string `json:"pre"`
}

func readVectors(t testing.TB, style string) vectors {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, style, "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Vectors) < 290 || len(v.DecodeOnly) != 40 {
		t.Fatalf("%s: %d vectors, %d decode_only", style, len(v.Vectors), len(v.DecodeOnly))
	}
	return v
}

func load(t testing.TB, elem ...string) *Tokenizer {
	t.Helper()
	tok, err := LoadFile(filepath.Join(append([]string{testdata}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func checkEncode(t *testing.T, tok *Tokenizer, text string, addSpecial bool, want []int) {
	t.Helper()
	got, err := tok.Encode(text, addSpecial)
	if err != nil {
		t.Errorf("Encode(%q, %v): %v", text, addSpecial, err)
	} else if !slices.Equal(got, want) {
		t.Errorf("Encode(%q, %v) = %v, want %v", text, addSpecial, got, want)
	}
}

// checkDecode checks Decode, and that a Stream gives the same text in whole characters.
func checkDecode(t *testing.T, tok *Tokenizer, ids []int, skipSpecial bool, want string) {
	t.Helper()
	got, err := tok.Decode(ids, skipSpecial)
	if err != nil || got != want {
		t.Errorf("Decode(%v, %v) = %q, %v, want %q", ids, skipSpecial, got, err, want)
	}
	streamed := stream(t, tok.NewStream(skipSpecial), ids)
	if runs := brokenRuns(tok, ids); len(runs) > 0 {
		want = keepPrefixes(want, runs)
	}
	if streamed != want {
		t.Errorf("stream of %v (skip %v) = %q, want %q", ids, skipSpecial, streamed, want)
	}
}

// brokenRuns returns the runs of byte tokens that are not valid UTF-8 as a whole, where the
// decoder is ByteFallback.
func brokenRuns(tok *Tokenizer, ids []int) (runs []string) {
	steps, ok := tok.dec.(*steps)
	if !ok || !slices.Contains(steps.steps, step(byteFallback{})) {
		return nil
	}
	run := ""
	for _, id := range append(slices.Clone(ids), 0) {
		token, _ := tok.Token(id)
		if b, ok := byteToken(token); ok {
			run += string([]byte{b})
			continue
		}
		if !utf8.ValidString(run) {
			runs = append(runs, run)
		}
		run = ""
	}
	return runs
}

// keepPrefixes gives the runs in a decoded text, each U+FFFD for a byte, the characters back that
// are complete before the first byte that is wrong: what a Stream has written by then.
func keepPrefixes(text string, runs []string) string {
	done := 0
	for _, run := range runs {
		valid := strings.IndexRune(validText(run), utf8.RuneError)
		at := done + strings.Index(text[done:], strings.Repeat(replacement, len(run)))
		text = text[:at] + run[:valid] + text[at+valid*len(replacement):]
		done = at + valid + (len(run)-valid)*len(replacement)
	}
	return text
}

func stream(t *testing.T, s *Stream, ids []int) string {
	t.Helper()
	var all strings.Builder
	for _, id := range ids {
		text, err := s.Push(id)
		if err != nil {
			t.Errorf("Push(%d): %v", id, err)
		}
		if !utf8.ValidString(text) {
			t.Errorf("Push(%d) of %v = %q: part of a character", id, ids, text)
		}
		all.WriteString(text)
	}
	all.WriteString(s.Flush())
	return all.String()
}

func TestVectors(t *testing.T) {
	for _, style := range styles {
		t.Run(style, func(t *testing.T) {
			tok, want := load(t, style), readVectors(t, style)
			if tok.Size() != want.VocabSize {
				t.Errorf("Size() = %d, want %d", tok.Size(), want.VocabSize)
			}
			for _, v := range want.Vectors {
				checkEncode(t, tok, v.Text, false, v.IDs)
				checkEncode(t, tok, v.Text, true, v.IDsSpecial)
				checkDecode(t, tok, v.IDs, false, v.Decode)
				checkDecode(t, tok, v.IDs, true, v.DecodeSkip)
				checkDecode(t, tok, v.IDsSpecial, false, v.DecodeSpecial)
				checkDecode(t, tok, v.IDsSpecial, true, v.DecodeSpecialSkip)
				if v.Pre != nil {
					checkPieces(t, tok, v.Text, v.Pre)
				}
			}
			for _, v := range want.DecodeOnly {
				checkDecode(t, tok, v.IDs, false, v.Decode)
				checkDecode(t, tok, v.IDs, true, v.DecodeSkip)
			}
		})
	}
}

// checkPieces compares the pieces of a whole text that reach the model.
func checkPieces(t *testing.T, tok *Tokenizer, text string, want []string) {
	t.Helper()
	if text == "" {
		return // no part of a text is empty
	}
	text, err := tok.normalize(&newScratch().budget, text)
	if err != nil {
		t.Fatal(err)
	}
	if got := pieces(t, tok, text); !slices.Equal(got, want) {
		t.Errorf("pieces of %q = %q, want %q", text, got, want)
	}
}

// pieces splits a normalized text; the pieces are in ByteLevel's alphabet where the tokenizer has that.
func pieces(t *testing.T, tok *Tokenizer, text string) []string {
	t.Helper()
	all := []string{}
	err := tok.preTokenize(newScratch(), 0, piece{text, true}, func(text string) error {
		if tok.model.(*bpe).raw {
			text = toAlphabet(text)
		}
		all = append(all, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A long text is not in memory as a list of its pieces.
func TestPiecesAreNotKept(t *testing.T) {
	for _, style := range []string{"gpt2", "llama3"} {
		tok, s := load(t, style, "tokenizer.json"), newScratch()
		ids, err := tok.encodeText(s, nil, strings.Repeat("One two 3!\n", 10000))
		if err != nil || len(ids) < 40000 {
			t.Fatalf("%s: %d ids, %v", style, len(ids), err)
		}
		kept := cap(s.spans)
		for _, list := range s.pieces {
			kept += cap(list)
		}
		if kept > 100 {
			t.Errorf("%s: room for %d spans and pieces", style, kept)
		}
	}
}

func TestSentencePieceVectors(t *testing.T) {
	tok, want := load(t, "sentencepiece", "tokenizer.model"), readVectors(t, "sentencepiece")
	if tok.Size() != want.VocabSize {
		t.Errorf("Size() = %d, want %d", tok.Size(), want.VocabSize)
	}
	for _, v := range want.Vectors {
		checkEncode(t, tok, v.Text, false, v.IDs)
		checkEncode(t, tok, v.Text, true, v.IDsBOS)
		checkDecode(t, tok, v.IDs, false, v.Decode)
		checkDecode(t, tok, v.IDsBOS, false, v.DecodeBOS)
		checkDecode(t, tok, v.IDsBOS, true, v.DecodeBOS)
	}
	for _, v := range want.DecodeOnly {
		checkDecode(t, tok, v.IDs, false, v.Decode)
	}
}

// The vocabulary of tokenizer.bin is that of tokenizer.model, but for how the unknown token and
// BOS and EOS look.
func TestLlama2CVectors(t *testing.T) {
	tok, want := load(t, "sentencepiece", "tokenizer.bin"), readVectors(t, "sentencepiece")
	if tok.Size() != want.VocabSize {
		t.Errorf("Size() = %d, want %d", tok.Size(), want.VocabSize)
	}
	compared := 0
	for _, v := range want.Vectors {
		if v.Llama2C == nil { // run.c takes no NUL
			continue
		}
		compared++
		checkEncode(t, tok, v.Text, true, v.Llama2C)
		checkEncode(t, tok, v.Text, false, v.Llama2C[1:])
		if slices.Equal(v.Llama2C, v.IDsBOS) {
			checkDecode(t, tok, v.IDs, false, v.Decode)
			checkDecode(t, tok, v.IDsBOS, true, v.DecodeBOS)
		}
	}
	if compared != len(want.Vectors)-2 {
		t.Errorf("%d of %d vectors compared", compared, len(want.Vectors))
	}
	for _, v := range want.DecodeOnly {
		if !slices.ContainsFunc(v.IDs, tok.Special) {
			checkDecode(t, tok, v.IDs, false, v.Decode)
		}
	}
}
