package loader

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func FuzzOpenSafetensors(f *testing.F) {
	f.Add([]byte(shard("a", "b")), []byte(shard("c")))
	f.Add([]byte(tensorFile([]tensorSpec{
		{"x.weight_packed", "I32", "[3,2]", make([]byte, 24)},
		{"x.weight_scale", "BF16", "[3,2]", make([]byte, 12)},
		{"x.weight_shape", "I64", "[2]", shapeData(3, 8)},
	})), []byte(shard()))
	f.Add(safetensorsFile(`{"__metadata__":{"format":"pt"},`+entryJSON("b", "BF16", "[2,3]", 0, 12)+"}  ", 12), []byte(nil))
	config := change(f, map[string]string{"quantization_config": packedConfig})
	index := []byte(`{"weight_map":{"a":"1.safetensors","c":"2.safetensors"}}`)
	f.Fuzz(func(t *testing.T, one, two []byte) {
		single := fstest.MapFS{configFile: {Data: config}, weightsFile: {Data: one}}
		shards := fstest.MapFS{configFile: {Data: config}, indexFile: {Data: index},
			"1.safetensors": {Data: one}, "2.safetensors": {Data: two}}
		for _, fsys := range []fstest.MapFS{single, shards} {
			c, err := OpenFS(fsys)
			if err != nil {
				checkFuzzError(t, err)
				continue
			}
			checkTensors(t, c)
			for _, name := range c.Names() {
				if _, err := c.Weight(strings.TrimSuffix(name, suffixPacked), 3, 8); err != nil {
					checkFuzzError(t, err)
				}
			}
		}
	})
}

// checkFuzzError checks that an error says at least whose and about which file it is.
func checkFuzzError(t *testing.T, err error) {
	t.Helper()
	if s := err.Error(); !strings.HasPrefix(s, "loader: ") || len(s) > 2000 {
		t.Errorf("error %q", s)
	}
}

func FuzzLlama2C(f *testing.F) {
	for _, name := range []string{"model_v0.bin", "model_v2.bin"} {
		b, err := os.ReadFile(filepath.Join(llama2cDir, "llama2c_unshared", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:300])
	}
	for _, version := range []int{0, 1, 2} {
		f.Add(tinyBin(version, 8))
		f.Add(tinyBin(version, -8))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &Checkpoint{}
		if err := c.readBin("model.bin", b); err != nil {
			checkFuzzError(t, err)
			return
		}
		checkTensors(t, c)
		checkLinears(t, c)
	})
}

// tinyBin is a llama2.c file of the smallest model, all zero; a negative vocabulary size
// makes the classifier unshared in every version.
func tinyBin(version, vocab int) []byte {
	h := binHeader{version: version, dim: 4, hiddenDim: 6, layers: 1, heads: 2, kvHeads: 1, vocab: 8, seqLen: 3, shared: vocab > 0}
	var b []byte
	if version > 0 {
		b = binary.LittleEndian.AppendUint32(b, binMagic)
		b = binary.LittleEndian.AppendUint32(b, uint32(version))
		vocab = h.vocab
	}
	for _, n := range []int{h.dim, h.hiddenDim, h.layers, h.heads, h.kvHeads, vocab, h.seqLen} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	if version > 0 {
		b = append(b, make([]byte, binHeader1-len(b))...)
		if h.shared {
			b[binShared] = 1
		}
	}
	if version == 2 {
		h.group = 2
		b[binGroup] = 2
	}
	for p := range h.pieces() {
		b = append(b, make([]byte, p.bytes())...)
	}
	return b
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(smallConfig))
	for _, fields := range []map[string]string{
		{"rope_scaling": `{"rope_type":"yarn","factor":4,"original_max_position_embeddings":512}`},
		{"rope_scaling": `{"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4}`, "rms_norm_eps": "NaN"},
		{"rope_parameters": `{"rope_type":"linear","factor":2.5}`, "limit": "-Infinity"},
		{"quantization_config": packedConfig},
		{"architectures": `["Qwen3ForCausalLM"]`, "model_type": `"qwen3"`, "eos_token_id": "[1,2]"},
		{"architectures": `["Other"]`, "model_type": `"other"`},
	} {
		f.Add(change(f, fields))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseConfig(configFile, b)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "loader: config.json: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		checkConfig(t, c)
		if _, err := json.Marshal(c.Raw); err != nil {
			t.Errorf("Raw cannot be written: %v", err)
		}
	})
}

// checkConfig checks what parseConfig promises of a config.
func checkConfig(t *testing.T, c Config) {
	t.Helper()
	known := c.Architecture == "LlamaForCausalLM" || c.Architecture == "Qwen3ForCausalLM"
	for _, n := range []int{c.HiddenSize, c.IntermediateSize, c.NumLayers, c.NumHeads, c.NumKVHeads, c.HeadDim, c.VocabSize, c.MaxPositions} {
		if n < 0 || n > maxSize || known && n == 0 {
			t.Errorf("size %d in %+v", n, c)
		}
	}
	if known && (c.NumHeads%c.NumKVHeads != 0 || c.NumHeads*c.HeadDim > maxSize || c.RoPE.Type == "" || !(c.RoPE.Theta > 0)) {
		t.Errorf("%+v", c)
	}
	for _, x := range []float64{c.NormEps, c.RoPE.Theta, c.RoPE.Factor, c.RoPE.AttentionFactor} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("number %v in %+v", x, c)
		}
	}
	if q := c.Quantization; q != nil && (q.Strategy == "group") != (q.Group > 0) {
		t.Errorf("quantization %+v", q)
	}
}
