package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"octet/runtime/sampler"
)

const opening = "Once upon a time, there was a little fox named"

// story generates from the demo model and returns what was emitted, joined.
func story(t *testing.T, m *Model, o GenerateOptions) (Result, string) {
	t.Helper()
	ids, err := m.Encode(opening)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r, err := m.NewSession().Generate(t.Context(), ids, o, func(tok Token) error {
		if !utf8.ValidString(tok.Text) {
			t.Errorf("half a character: %q", tok.Text)
		}
		text.WriteString(tok.Text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, text.String()
}

func TestStopReasons(t *testing.T) {
	m := load(t, "demo", Options{})
	full, _ := story(t, m, GenerateOptions{MaxTokens: 60})
	for _, c := range []struct {
		name string
		o    GenerateOptions
		want StopReason
		text string
	}{
		{"max tokens", GenerateOptions{MaxTokens: 5}, StopMaxTokens, ""},
		{"one token", GenerateOptions{MaxTokens: 1}, StopMaxTokens, ""},
		{"stop string", GenerateOptions{Stop: []string{"village"}}, StopString, before(full.Text, "village")},
		{"across tokens", GenerateOptions{Stop: []string{"ttage wi", "llage with h"}}, StopString, before(full.Text, "llage with h")},
		{"earliest of two", GenerateOptions{Stop: []string{"family", "tiny"}}, StopString, before(full.Text, "tiny")},
		{"only a beginning", GenerateOptions{Stop: []string{"villagers"}, MaxTokens: 60}, StopMaxTokens, full.Text},
		{"empty stop string", GenerateOptions{Stop: []string{""}, MaxTokens: 60}, StopMaxTokens, full.Text},
		{"end of the story", GenerateOptions{}, StopEOS, ""},
	} {
		r, emitted := story(t, m, c.o)
		if r.StopReason != c.want || r.Text != emitted || c.text != "" && r.Text != c.text {
			t.Errorf("%s: %s, %q emitted as %q, want %s, %q", c.name, r.StopReason, r.Text, emitted, c.want, c.text)
		}
	}
}

func before(text, stop string) string {
	head, _, _ := strings.Cut(text, stop)
	return head
}

func TestContextFull(t *testing.T) {
	m := load(t, "demo", Options{Context: 30})
	r, _ := story(t, m, GenerateOptions{IgnoreEOS: true})
	if r.StopReason != StopContext || r.PromptTokens+len(r.Tokens) != 31 {
		t.Errorf("%s after %d and %d tokens", r.StopReason, r.PromptTokens, len(r.Tokens))
	}
	s := m.NewSession()
	_, err := s.Generate(t.Context(), sequence(31, 100), GenerateOptions{}, nil)
	if !errors.Is(err, ErrContext) || s.Len() != 0 {
		t.Errorf("a prompt longer than the context: %v", err)
	}
	if _, err := s.Eval(t.Context(), []int{1, m.config.VocabSize}, 1); !errors.Is(err, ErrToken) {
		t.Errorf("an id outside the vocabulary: %v", err)
	}
}

// TestContinuation keeps the space between a prompt and what follows it: the demo's tokenizer
// is byte-level, that of llama2.c drops a space at the beginning of a text.
func TestContinuation(t *testing.T) {
	for _, model := range []string{"demo", "llama2c/llama2c_shared/model_v0.bin"} {
		m := load(t, model, Options{})
		ids, err := m.Encode("once upon a time")
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.NewSession().Generate(t.Context(), ids, GenerateOptions{MaxTokens: 8, IgnoreEOS: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.tok.Decode(append(ids, r.Tokens...), true)
		if err != nil || "once upon a time"+r.Text != want {
			t.Errorf("%s: %q follows the prompt, all together %q, %v", model, r.Text, want, err)
		}
	}
}

// TestNotFinite refuses to choose among logits that are no numbers.
func TestNotFinite(t *testing.T) {
	m := load(t, "demo", Options{})
	m.norm[3] = float32(math.NaN())
	r, err := m.NewSession().Generate(t.Context(), []int{5, 6}, GenerateOptions{}, nil)
	if !errors.Is(err, ErrNotFinite) || len(r.Tokens) > 0 {
		t.Errorf("%v, %d tokens", err, len(r.Tokens))
	}
}

func TestInterrupt(t *testing.T) {
	m := load(t, "demo", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, err := m.NewSession().Generate(ctx, sequence(9, m.config.VocabSize), GenerateOptions{IgnoreEOS: true}, func(Token) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || r.StopReason != StopInterrupted || len(r.Tokens) != 3 {
		t.Errorf("%v, %s, %d tokens", err, r.StopReason, len(r.Tokens))
	}
	_, err = m.NewSession().Generate(t.Context(), sequence(9, m.config.VocabSize), GenerateOptions{IgnoreEOS: true}, func(Token) error { return io.ErrClosedPipe })
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("an error of emit became %v", err)
	}
}

func TestSeed(t *testing.T) {
	o := GenerateOptions{MaxTokens: 40, Sampler: sampler.Options{Temperature: 1, TopP: 0.95, Seed: 7}}
	a, _ := story(t, load(t, "demo", Options{Threads: 1}), o)
	b, _ := story(t, load(t, "demo", Options{Threads: 2}), o)
	o.Sampler.Seed = 8
	c, _ := story(t, load(t, "demo", Options{}), o)
	if !slices.Equal(a.Tokens, b.Tokens) || slices.Equal(a.Tokens, c.Tokens) {
		t.Errorf("seed 7: %q and %q, seed 8: %q", a.Text, b.Text, c.Text)
	}
}

func TestSaveSession(t *testing.T) {
	for kv := KVF32; kv <= KVInt8; kv++ {
		t.Run(kv.String(), func(t *testing.T) {
			m := load(t, "demo", Options{Quantize: 64, KV: kv})
			checkSave(t, m)
		})
	}
}

// saved is the file of a session that holds ids.
func saved(t *testing.T, m *Model, ids []int) []byte {
	t.Helper()
	s := m.NewSession()
	if _, err := s.Eval(t.Context(), ids, 0); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// checkSave continues saved sessions, and refuses damaged ones.
func checkSave(t *testing.T, m *Model) {
	ids := sequence(70, m.config.VocabSize)
	for _, n := range []int{0, 1, 16, 50} {
		loaded, err := m.LoadSession(bytes.NewReader(saved(t, m, ids[:n])))
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := loaded.Save(&again); err != nil || !bytes.Equal(again.Bytes(), saved(t, m, ids[:n])) {
			t.Errorf("another file after loading %d tokens (%v)", n, err)
		}
		got, err := loaded.Eval(t.Context(), ids[n:], 1)
		if err != nil || !slices.Equal(got, eval(t, m, ids, 1)) {
			t.Errorf("other logits after loading %d tokens (%v)", n, err)
		}
	}
	file := saved(t, m, ids[:50])
	for n := 0; n < len(file); n += 1 + len(file)/50 {
		if _, err := m.LoadSession(bytes.NewReader(file[:n])); !errors.Is(err, ErrSession) {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
		flipped := bytes.Clone(file)
		flipped[n] ^= 0x10
		if _, err := m.LoadSession(bytes.NewReader(flipped)); !errors.Is(err, ErrSession) {
			t.Errorf("bit flipped at %d: %v", n, err)
		}
	}
	if _, err := m.LoadSession(bytes.NewReader(append(file, 0))); !errors.Is(err, ErrSession) {
		t.Errorf("a byte more: %v", err)
	}
}

// TestSessionOfAnotherModel refuses it, and one with another type of cache by its name.
func TestSessionOfAnotherModel(t *testing.T) {
	file := saved(t, load(t, "demo", Options{Quantize: 64}), sequence(9, 100))
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"float weights", Options{KV: KVF16}, "another model"},
		{"another cache", Options{Quantize: 64, KV: KVInt8}, "a cache of type int8 expected, found f16"},
	} {
		_, err := load(t, "demo", c.o).LoadSession(bytes.NewReader(file))
		if !errors.Is(err, ErrSession) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
