package runtime

import (
	"errors"
	"testing"

	"octet/quant"
)

// TestDefaultKV is halves for int8 models, but not for the reference.
func TestDefaultKV(t *testing.T) {
	for _, c := range []struct {
		name, model string
		o           Options
		want        KV
	}{
		{"float", "demo", Options{}, KVF32},
		{"made int8", "demo", Options{Quantize: 64}, KVF16},
		{"stored int8", "quantized/llama_pack_g64", Options{}, KVF16},
		{"reference", "demo", Options{Quantize: 64, Activations: quant.Float}, KVF32},
		{"asked for", "demo", Options{KV: KVInt8}, KVInt8},
	} {
		if got := load(t, c.model, c.o).KV(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if _, err := Load(testdata+"/demo", Options{KV: KVInt8 + 1}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("an unknown type: %v", err)
	}
}

// TestCacheBytes counts keys and values, and the scales of bytes.
func TestCacheBytes(t *testing.T) {
	for kv, head := range map[KV]func(dim int) int{
		KVF32:  func(dim int) int { return 4 * dim },
		KVF16:  func(dim int) int { return 2 * dim },
		KVInt8: func(dim int) int { return dim + 4 },
	} {
		m := load(t, "demo", Options{KV: kv})
		c := m.Config()
		if want := 2 * c.NumLayers * c.NumKVHeads * head(c.HeadDim); m.CacheBytes() != int64(want) {
			t.Errorf("%v: %d bytes, want %d", kv, m.CacheBytes(), want)
		}
	}
}

// TestBeyondHalves ends a generation whose values no half can hold, instead of going on
// without them: float32 and scaled bytes have no such limit.
func TestBeyondHalves(t *testing.T) {
	for kv, want := range map[KV]error{KVF32: nil, KVF16: ErrNotFinite, KVInt8: nil} {
		m := load(t, "demo", Options{KV: kv})
		for i := range m.layers[1].attnNorm {
			m.layers[1].attnNorm[i] *= 1e6
		}
		_, err := m.NewSession().Generate(t.Context(), []int{5, 6, 7}, GenerateOptions{MaxTokens: 2, IgnoreEOS: true}, nil)
		if !errors.Is(err, want) {
			t.Errorf("%v: %v, want %v", kv, err, want)
		}
	}
}
