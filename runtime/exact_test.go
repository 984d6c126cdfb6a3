package runtime

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"octet/quant"
)

// sequence returns n ids of a vocabulary, the same ones each time.
func sequence(n, vocab int) []int {
	ids, x := make([]int, n), uint32(1)
	for i := range ids {
		x = x*1664525 + 1013904223
		ids[i] = int(x>>8) % vocab
	}
	return ids
}

// evalInPieces appends ids in pieces of the given length and returns the logits of all.
func evalInPieces(t *testing.T, m *Model, ids []int, piece int) []float32 {
	t.Helper()
	s, all := m.NewSession(), []float32(nil)
	for part := range slices.Chunk(ids, piece) {
		logits, err := s.Eval(t.Context(), part, len(part))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, logits...)
	}
	return all
}

// TestSameBits is the promise that logits depend on nothing but the tokens: not on how the
// prompt is cut into pieces, the number of threads, or which logits are asked for.
func TestSameBits(t *testing.T) {
	for _, c := range []struct {
		model string
		o     Options
	}{
		{"models/llama31", Options{}},
		{"models/llama_bias", Options{}},
		{"models/llama_headdim", Options{Quantize: 64}},
		{"models/llama_headdim", Options{KV: KVInt8}},
		{"quantized/llama_pack_g64_lmhead", Options{}},
		{"quantized/llama_pack_g32", Options{Activations: quant.Int8}},
		{"quantized/qwen3_pack_g64", Options{Activations: quant.Float}},
		{"llama2c/llama2c_shared/model_v2.bin", Options{}},
	} {
		t.Run(filepath.Base(c.model), func(t *testing.T) {
			c.o.Context = batch + 9
			m := load(t, c.model, c.o)
			ids := sequence(batch+9, m.config.VocabSize)
			allThreads, pieces, lasts := []int{1, 2, 3, 5}, []int{1, 7, spanTokens + 1, len(ids)}, []int{1, batch, batch + 2}
			if testing.Short() { // emulated, or under the race detector
				ids = ids[:spanTokens+3]
				allThreads, pieces, lasts = []int{1, 3}, []int{1, spanTokens + 1}, []int{1, spanTokens}
			}
			want := eval(t, m, ids, len(ids))
			for _, threads := range allThreads {
				o := c.o
				o.Threads = threads
				m := load(t, c.model, o)
				for _, piece := range pieces {
					if !slices.Equal(evalInPieces(t, m, ids, piece), want) {
						t.Errorf("%d threads, pieces of %d tokens: other logits", threads, piece)
					}
				}
			}
			for _, last := range lasts {
				if !slices.Equal(eval(t, m, ids, last), want[len(want)-last*m.config.VocabSize:]) {
					t.Errorf("logits of the last %d tokens differ from those of all", last)
				}
			}
		})
	}
}

// TestRecordedBits compares logits with those of the machine that first computed them: they are
// the same bits for every instruction set.
func TestRecordedBits(t *testing.T) {
	for _, c := range []struct {
		model string
		o     Options
		want  string // the beginning of the logits' SHA-256
	}{
		{"demo", Options{}, "2cfaa30b640b40fd"},
		{"demo", Options{KV: KVF16}, "94560d627913d5a4"},
		{"demo", Options{KV: KVInt8}, "e9d427637ee3b74a"},
		{"demo", Options{Quantize: 64}, "d376580fcca273f3"},
		{"demo", Options{Quantize: 64, KV: KVF32}, "7cd3282a465354c6"},
		{"demo", Options{Quantize: 64, KV: KVInt8}, "a908304846d715c3"},
		{"demo", Options{Quantize: 32, Activations: quant.Int8}, "2ace28edab29b96d"},
		{"demo", Options{Quantize: 32, Activations: quant.Int8, KV: KVF32}, "851bf54bb80f0ba8"},
		{"demo", Options{Quantize: 64, Activations: quant.Float}, "344923de6141ad07"},
		{"models/llama", Options{}, "cfdd244c0aad5e58"},
		{"models/llama31", Options{}, "aa5e688a2c939263"},
		{"models/llama_yarn", Options{}, "9688dc087277f21c"},
		{"models/llama_headdim", Options{KV: KVInt8}, "c2155a2913f06f37"},
		{"quantized/qwen3_pack_g32", Options{}, "77d236340cf5452e"},
		{"quantized/qwen3_pack_g32", Options{KV: KVF32}, "f1bb5ee9f341b40f"},
		{"quantized/qwen3_pack_g32", Options{KV: KVInt8}, "ae1b31a462e161c9"},
		{"llama2c/llama2c_unshared/model_v2.bin", Options{}, "64bb61e2e504c603"},
		{"llama2c/llama2c_unshared/model_v2.bin", Options{KV: KVF32}, "d90a854c006ca918"},
	} {
		m := load(t, c.model, c.o)
		sum := sha256.Sum256(appendValues(nil, eval(t, m, sequence(100, m.config.VocabSize), 100)))
		if got := fmt.Sprintf("%x", sum[:8]); got != c.want {
			t.Errorf("%s %+v: logits %s, recorded %s", c.model, c.o, got, c.want)
		}
	}
}

// TestTruncate goes back in a sequence and continues it otherwise.
func TestTruncate(t *testing.T) {
	m := load(t, "quantized/llama_pack_g64", Options{})
	ids := sequence(300, m.config.VocabSize)
	want := slices.Clone(eval(t, m, ids, 1))
	s := m.NewSession()
	wrong := append(slices.Clone(ids[:100]), sequence(190, 50)...)
	if _, err := s.Eval(t.Context(), wrong, 0); err != nil {
		t.Fatal(err)
	}
	s.Truncate(100)
	got, err := s.Eval(t.Context(), ids[100:], 1)
	if err != nil || !slices.Equal(got, want) || !slices.Equal(s.IDs(), ids) {
		t.Errorf("other logits after Truncate (%v)", err)
	}
}

// TestConcurrentSessions shares one model among goroutines.
func TestConcurrentSessions(t *testing.T) {
	m := load(t, "quantized/llama_pack_g64", Options{Threads: 2})
	ids := sequence(40, m.config.VocabSize)
	want := slices.Clone(eval(t, m, ids, 1))
	errs := make(chan error)
	for range 4 {
		go func() {
			got, err := m.NewSession().Eval(t.Context(), ids, 1)
			if err == nil && !slices.Equal(got, want) {
				err = fmt.Errorf("other logits")
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestDecodeAllocatesNothing holds between the times that the cache doubles.
func TestDecodeAllocatesNothing(t *testing.T) {
	for _, c := range []struct {
		model string
		o     Options
	}{
		{"demo", Options{Threads: 2}},
		{"demo", Options{Threads: 2, Quantize: 64}},
		{"demo", Options{Threads: 2, KV: KVInt8}},
		{"demo", Options{Threads: 1, Quantize: 64, Activations: quant.Int8}},
		{"demo", Options{Threads: 1, Quantize: 64, Activations: quant.Float}},
	} {
		m := load(t, c.model, c.o)
		s, ids := m.NewSession(), []int{3}
		if _, err := s.Eval(t.Context(), sequence(20, 100), 1); err != nil {
			t.Fatal(err)
		}
		s.ids = slices.Grow(s.ids, 200)
		n := testing.AllocsPerRun(50, func() {
			if _, err := s.Eval(t.Context(), ids, 1); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%+v: %v allocations for a token", c.o, n)
		}
	}
}
