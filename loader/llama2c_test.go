package loader

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const llama2cDir = "../testdata/llama2c/"

func TestOpenLlama2C(t *testing.T) {
	for _, model := range []string{"llama2c_shared", "llama2c_unshared"} {
		for _, file := range []string{"model_v0.bin", "model_v2.bin"} {
			t.Run(model+"/"+file, func(t *testing.T) {
				c := open(t, llama2cDir+model+"/"+file)
				checkTensors(t, c)
				checkLinears(t, c)
				checkBinConfig(t, c.Config, llama2cDir+model+"/golden.json")
				if c.Format != Llama2C || c.Generation.EOS != nil {
					t.Errorf("format %v, generation %+v", c.Format, c.Generation)
				}
			})
		}
	}
}

// checkBinConfig compares a config with the one that the golden file tells.
func checkBinConfig(t *testing.T, c Config, goldenFile string) {
	t.Helper()
	var golden struct {
		Config struct {
			Dim       int `json:"dim"`
			HiddenDim int `json:"hidden_dim"`
			Layers    int `json:"n_layers"`
			Heads     int `json:"n_heads"`
			KVHeads   int `json:"n_kv_heads"`
			Vocab     int `json:"vocab_size"`
			SeqLen    int `json:"seq_len"`
		} `json:"config"`
		Shared bool `json:"shared_classifier"`
		Group  int  `json:"group_size_v2"`
	}
	b, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	g := golden.Config
	want := Config{
		Architecture: "llama2.c", ModelType: "llama2.c",
		HiddenSize: g.Dim, IntermediateSize: g.HiddenDim, NumLayers: g.Layers,
		NumHeads: g.Heads, NumKVHeads: g.KVHeads, HeadDim: g.Dim / g.Heads,
		VocabSize: g.Vocab, MaxPositions: g.SeqLen, NormEps: 1e-5, HiddenAct: "silu",
		TieWordEmbeddings: golden.Shared,
		RoPE:              RoPE{Type: "default", Theta: 10000, Interleaved: true},
		DType:             F32, BOS: []int{1}, EOS: []int{1, 2},
	}
	if c.Quantization != nil {
		want.Quantization = &Quantization{Method: "llama2.c", Strategy: "group", Group: golden.Group}
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("config\n%+v, expected\n%+v", c, want)
	}
}

// The two versions are of one model, so they agree to half a step of the scale if every
// tensor is found at its place in both.
func TestLlama2CVersionsAgree(t *testing.T) {
	for _, model := range []string{"llama2c_shared", "llama2c_unshared"} {
		v0, v2 := open(t, llama2cDir+model+"/model_v0.bin"), open(t, llama2cDir+model+"/model_v2.bin")
		for _, name := range v0.Names() {
			a, _ := v0.Tensor(name)
			b, err := v2.Tensor(name)
			if err != nil {
				t.Fatal(err)
			}
			if b.DType == F32 {
				if !slices.Equal(a.Data, b.Data) {
					t.Errorf("%s: %s differs", model, name)
				}
				continue
			}
			s, err := v2.Tensor(strings.TrimSuffix(name, suffixWeight) + suffixScale)
			if err != nil {
				t.Fatal(err)
			}
			checkClose(t, a, b, s, v2.Config.Quantization.Group)
		}
	}
}

// checkClose checks that q·s is the value of which it is the rounding.
func checkClose(t *testing.T, values, q, scales Tensor, group int) {
	t.Helper()
	for i, b := range q.Data {
		scale := float64(float32At(scales, i/group))
		got, want := float64(int8(b))*scale, float64(float32At(values, i))
		if math.Abs(got-want) > 0.5001*scale {
			t.Fatalf("%s[%d]: %v expected, found %v (scale %v)", values.Name, i, want, got, scale)
		}
	}
}

func float32At(t Tensor, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
}

// A version 1 file of the same model holds the same tensors.
func TestOpenLlama2CVersion1(t *testing.T) {
	for _, model := range []string{"llama2c_shared", "llama2c_unshared"} {
		v0 := open(t, llama2cDir+model+"/model_v0.bin")
		v1 := open(t, writeFile(t, "model.bin", version1(t, v0)))
		if !reflect.DeepEqual(v0.Config, v1.Config) || !slices.Equal(v0.Names(), v1.Names()) {
			t.Fatalf("%s: %+v with %v", model, v1.Config, v1.Names())
		}
		for _, name := range v0.Names() {
			a, _ := v0.Tensor(name)
			b, _ := v1.Tensor(name)
			if !slices.Equal(a.Shape, b.Shape) || !slices.Equal(a.Data, b.Data) {
				t.Errorf("%s: %s differs", model, name)
			}
		}
	}
}

// version1 writes a model as version1_export of llama2.c's export.py does.
func version1(t *testing.T, c *Checkpoint) []byte {
	t.Helper()
	g := c.Config
	b := binary.LittleEndian.AppendUint32(nil, binMagic)
	for _, n := range []int{1, g.HiddenSize, g.IntermediateSize, g.NumLayers, g.NumHeads, g.NumKVHeads, g.VocabSize, g.MaxPositions} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	shared := byte(0)
	if g.TieWordEmbeddings {
		shared = 1
	}
	b = append(b, shared)
	b = append(b, make([]byte, 256-len(b))...)
	one := func(name string) {
		x, err := c.Tensor(name + ".weight")
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, x.Data...)
	}
	all := func(name string) {
		for i := range g.NumLayers {
			one(layerName(i, name))
		}
	}
	all("input_layernorm")
	all("post_attention_layernorm")
	one("model.norm")
	one("model.embed_tokens")
	all("self_attn.q_proj")
	all("self_attn.k_proj")
	all("self_attn.v_proj")
	all("self_attn.o_proj")
	all("mlp.gate_proj")
	all("mlp.down_proj")
	all("mlp.up_proj")
	if shared == 0 {
		one("lm_head")
	}
	return b
}

// writeFile writes a file of the test's own and returns its path.
func writeFile(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// put32 returns b with the 32-bit value v at offset.
func put32(b []byte, offset int, v int32) []byte {
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[offset:], uint32(v))
	return b
}

func TestDamagedLlama2C(t *testing.T) {
	v0, err := os.ReadFile(llama2cDir + "llama2c_shared/model_v0.bin")
	if err != nil {
		t.Fatal(err)
	}
	v2, err := os.ReadFile(llama2cDir + "llama2c_shared/model_v2.bin")
	if err != nil {
		t.Fatal(err)
	}
	badFlag := slices.Clone(v2)
	badFlag[binShared] = 7
	cases := []struct {
		name string
		b    []byte
		kind error
		text string
	}{
		{"empty", nil, ErrFormat, "model.bin: a llama2.c header of at least 28 bytes expected, found 0"},
		{"short header", v0[:27], ErrFormat, "at least 28 bytes expected, found 27"},
		{"short version 2 header", v2[:255], ErrFormat, "a header of 256 bytes expected, found 255"},
		{"truncated", v0[:len(v0)-1], ErrFormat, "670748 bytes expected from the header, found 670747"},
		{"one byte too many", append(slices.Clone(v0), 0), ErrFormat, "670748 bytes expected from the header, found 670749"},
		{"truncated version 2", v2[:len(v2)-4], ErrFormat, "187512 bytes expected from the header, found 187508"},
		{"no dim", put32(v0, 0, 0), ErrFormat, "dim: a number from 1 to 268435456 expected, found 0"},
		{"negative layers", put32(v0, 8, -3), ErrFormat, "n_layers: a number from 1 to 268435456 expected, found -3"},
		{"smallest vocabulary", put32(v0, 20, math.MinInt32), ErrFormat, "vocab_size: a number from 1"},
		{"negative vocabulary in version 2", put32(v2, 28, -1111), ErrFormat, "vocab_size: a number from 1"},
		{"other sign of vocabulary", put32(v0, 20, -1111), ErrFormat, "bytes expected from the header"},
		{"a layer too many", put32(v0, 8, 3), ErrFormat, "bytes expected from the header"},
		{"huge", put32(put32(put32(v0, 0, 1<<28), 12, 1<<20), 20, 1<<28), ErrFormat, "sizes beyond any file"},
		{"many layers", put32(v0, 8, 1<<17), ErrFormat, "n_layers: at most 65536 expected, found 131072"},
		{"heads do not divide", put32(v0, 12, 5), ErrFormat, "dim: a multiple of n_heads = 5 expected, found 64"},
		{"odd heads", put32(v0, 12, 64), ErrFormat, "dim / n_heads: an even number up to 65536 expected, found 1"},
		{"kv heads do not divide", put32(v0, 16, 3), ErrFormat, "n_kv_heads: a divisor of n_heads = 4 expected, found 3"},
		{"no group", put32(v2, binGroup, 0), ErrFormat, "a group size above 0 expected, found 0"},
		{"group across rows", put32(v2, binGroup, 128), ErrUnsupported, "found 128 (groups that cross rows)"},
		{"flag", badFlag, ErrFormat, "shared classifier: 0 or 1 expected, found 7"},
		{"version 3", put32(v2, 4, 3), ErrUnsupported, "llama2.c version 0, 1 or 2 expected, found 3"},
		{"gguf", []byte("GGUF\x03\x00\x00\x00"), ErrUnsupported, "found a GGUF file"},
		{"zip", []byte("PK\x03\x04archive/data.pkl"), ErrUnsupported, "found a PyTorch file (zip)"},
		{"pickle", []byte("\x80\x02}q\x00."), ErrUnsupported, "found a PyTorch file (pickle)"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Open(writeFile(t, "model.bin", tc.b))
			checkError(t, err, tc.kind, tc.text)
		})
	}
}

// checkError checks the kind and a part of the text of an error.
func checkError(t *testing.T, err, kind error, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, expected %q", text)
	case kind != nil && !errors.Is(err, kind), !strings.HasPrefix(err.Error(), "loader: "), !strings.Contains(err.Error(), text):
		t.Errorf("error\n%v, expected\n%v: …%s…", err, kind, text)
	}
}

func TestOpenOtherFiles(t *testing.T) {
	cases := []struct{ name, content, text string }{
		{"model.gguf", "GGUF\x03\x00\x00\x00", "model.gguf: a Hugging Face directory or a llama2.c .bin file expected, found a GGUF file"},
		{"model.safetensors", "", "model.safetensors: give the directory that holds it"},
		{"notes.txt", "hello", "notes.txt: a Hugging Face directory or a llama2.c .bin file expected"},
	}
	for _, tc := range cases {
		_, err := Open(writeFile(t, tc.name, []byte(tc.content)))
		checkError(t, err, ErrUnsupported, tc.text)
	}
}
