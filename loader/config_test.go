package loader

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// change is smallConfig with fields set, or taken out where the value is "-".
func change(t testing.TB, fields map[string]string) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(smallConfig), &m); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		if value == "-" {
			delete(m, name)
		} else {
			m[name] = json.RawMessage("0") // a place for a value that may be no JSON
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		b = []byte(strings.Replace(string(b), `"`+name+`":0`, `"`+name+`":`+value, 1))
	}
	return b
}

// parseChanged parses smallConfig with changes, without its Raw.
func parseChanged(t *testing.T, fields map[string]string) (Config, error) {
	t.Helper()
	c, err := parseConfig(configFile, change(t, fields))
	c.Raw = nil
	return c, err
}

func TestConfigDefaults(t *testing.T) {
	llama := Config{
		Architecture: "LlamaForCausalLM", ModelType: "llama",
		HiddenSize: 8, IntermediateSize: 12, NumLayers: 1, NumHeads: 2, NumKVHeads: 2, HeadDim: 4,
		VocabSize: 10, MaxPositions: 2048, NormEps: 1e-6, HiddenAct: "silu",
		RoPE: RoPE{Type: "default", Theta: 10000}, DType: undecided, BOS: []int{1}, EOS: []int{2},
	}
	with := func(set func(*Config)) Config {
		c := llama
		set(&c)
		return c
	}
	qwen3 := with(func(c *Config) {
		c.Architecture, c.ModelType = "Qwen3ForCausalLM", "qwen3"
		c.NumHeads, c.NumKVHeads, c.HeadDim, c.MaxPositions = 64, 32, 128, 32768
		c.BOS, c.EOS = nil, nil
	})
	cases := []struct {
		name   string
		fields map[string]string
		want   Config
	}{
		{"nothing said", nil, llama},
		{"null is absent", map[string]string{
			"num_key_value_heads": "null", "head_dim": "null", "rope_scaling": "null", "hidden_act": "null",
			"rms_norm_eps": "null", "tie_word_embeddings": "null", "torch_dtype": "null", "quantization_config": "null",
		}, llama},
		{"architecture only", map[string]string{"model_type": "-"}, llama},
		{"model_type only", map[string]string{"architectures": "-"}, llama},
		{"no token ids", map[string]string{"bos_token_id": "null", "eos_token_id": "null"},
			with(func(c *Config) { c.BOS, c.EOS = nil, nil })},
		{"list of token ids", map[string]string{"eos_token_id": "[3, 5]"},
			with(func(c *Config) { c.EOS = []int{3, 5} })},
		{"dtype", map[string]string{"torch_dtype": `"bfloat16"`}, with(func(c *Config) { c.DType = BF16 })},
		{"dtype with module", map[string]string{"dtype": `"torch.float16"`}, with(func(c *Config) { c.DType = F16 })},
		{"dtype before torch_dtype", map[string]string{"dtype": `"float32"`, "torch_dtype": `"float16"`},
			with(func(c *Config) { c.DType = F32 })},
		{"qwen3", map[string]string{"architectures": `["Qwen3ForCausalLM"]`, "model_type": `"qwen3"`, "num_attention_heads": "64"}, qwen3},
		{"qwen3 with null", map[string]string{"architectures": `["Qwen3ForCausalLM"]`, "model_type": `"qwen3"`,
			"num_attention_heads": "4", "num_key_value_heads": "null", "head_dim": "null"},
			with(func(c *Config) {
				*c = qwen3
				c.NumHeads, c.NumKVHeads, c.HeadDim = 4, 4, 2
			})},
		{"nan elsewhere", map[string]string{"initializer_range": "NaN", "limit": "[-Infinity, Infinity]", "note": `"NaN \"NaN"`}, llama},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseChanged(t, tc.fields)
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%v; found\n%+v, expected\n%+v", err, got, tc.want)
			}
		})
	}
}

func TestConfigErrors(t *testing.T) {
	cases := []struct {
		name        string
		field, text string
		kind        error
		value       string
	}{
		{"no hidden_size", "hidden_size", "config.json: hidden_size: missing", ErrFormat, "-"},
		{"no intermediate_size", "intermediate_size", "intermediate_size: missing", ErrFormat, "-"},
		{"no num_hidden_layers", "num_hidden_layers", "num_hidden_layers: missing", ErrFormat, "-"},
		{"no num_attention_heads", "num_attention_heads", "num_attention_heads: missing", ErrFormat, "-"},
		{"no vocab_size", "vocab_size", "vocab_size: missing", ErrFormat, "-"},
		{"null hidden_size", "hidden_size", "hidden_size: missing", ErrFormat, "null"},
		{"zero", "hidden_size", "a whole number from 1 to 2147483647 expected, found 0", ErrFormat, "0"},
		{"negative", "vocab_size", "vocab_size: a whole number from 1 to 2147483647 expected, found -5", ErrFormat, "-5"},
		{"fraction", "hidden_size", "expected, found 8.5", ErrFormat, "8.5"},
		{"exponent", "hidden_size", "expected, found 8e0", ErrFormat, "8e0"},
		{"too large", "hidden_size", "expected, found 2147483648", ErrFormat, "2147483648"},
		{"beyond int64", "hidden_size", "expected, found 99999999999999999999", ErrFormat, "99999999999999999999"},
		{"text", "hidden_size", `expected, found "8"`, ErrFormat, `"8"`},
		{"list", "num_attention_heads", "expected, found [1,2]", ErrFormat, "[1,2]"},
		{"layers", "num_hidden_layers", "num_hidden_layers: at most 65536 expected, found 1000000", ErrFormat, "1000000"},
		{"heads do not divide", "num_attention_heads", "hidden_size: a multiple of num_attention_heads = 3 expected, found 8", ErrFormat, "3"},
		{"more heads than inputs", "num_attention_heads", "hidden_size: a multiple of num_attention_heads = 16 expected, found 8", ErrFormat, "16"},
		{"kv heads do not divide", "num_key_value_heads", "num_key_value_heads: a divisor of num_attention_heads = 2 expected, found 4", ErrFormat, "4"},
		{"odd head_dim", "head_dim", "head_dim: an even number up to 65536 expected, found 3", ErrFormat, "3"},
		{"many heads", "num_attention_heads", "num_attention_heads: at most", ErrFormat, "2147483647"},
		{"no positions", "max_position_embeddings", "max_position_embeddings: missing", ErrFormat, "null"},
		{"eps NaN", "rms_norm_eps", `rms_norm_eps: a finite number expected, found "NaN"`, ErrFormat, "NaN"},
		{"eps infinite", "rms_norm_eps", "rms_norm_eps: a finite number expected, found 1e999", ErrFormat, "Infinity"},
		{"eps negative", "rms_norm_eps", "rms_norm_eps: a number ≥ 0 expected, found -1", ErrFormat, "-1"},
		{"flag", "tie_word_embeddings", "tie_word_embeddings: true or false expected, found 1", ErrFormat, "1"},
		{"activation", "hidden_act", "hidden_act: a string expected, found {}", ErrFormat, "{}"},
		{"architectures", "architectures", "architectures: a list of strings expected, found [1]", ErrFormat, "[1]"},
		{"other model_type", "model_type", `model_type: "llama" expected with architecture LlamaForCausalLM, found "mistral"`, ErrUnsupported, `"mistral"`},
		{"dtype", "torch_dtype", `torch_dtype: float32, bfloat16 or float16 expected, found "float8_e4m3fn"`, ErrUnsupported, `"float8_e4m3fn"`},
		{"eos", "eos_token_id", "eos_token_id: token ids expected, found [1,-1]", ErrFormat, "[1,-1]"},
		{"theta", "rope_theta", "rope_theta: a number above 0 expected, found 0", ErrFormat, "0"},
		{"theta text", "rope_theta", "rope_theta: a finite number expected", ErrFormat, `"x"`},
		{"theta infinite", "rope_theta", "rope_theta: a finite number expected, found 1e999", ErrFormat, "Infinity"},
		{"rope_scaling text", "rope_scaling", `rope_scaling: an object expected, found "linear"`, ErrFormat, `"linear"`},
		{"longrope", "rope_scaling", `rope_scaling.type: default, linear, dynamic, llama3 or yarn expected, found "longrope"`, ErrUnsupported, `{"type":"longrope"}`},
		{"mrope", "rope_parameters", `rope_parameters.rope_type: default, linear, dynamic, llama3 or yarn expected, found "mrope"`, ErrUnsupported, `{"rope_type":"mrope"}`},
		{"per layer", "rope_parameters", "rope_parameters.full_attention: one set of parameters for all layers expected", ErrUnsupported, `{"full_attention":{}}`},
		{"partial", "partial_rotary_factor", "partial_rotary_factor: 1 expected, found 0.5", ErrUnsupported, "0.5"},
		{"partial inside", "rope_parameters", "rope_parameters.partial_rotary_factor: 1 expected, found 0.25", ErrUnsupported, `{"partial_rotary_factor":0.25}`},
		{"linear without factor", "rope_scaling", "rope_scaling.factor: missing", ErrFormat, `{"rope_type":"linear"}`},
		{"dynamic with factor 0", "rope_scaling", "rope_scaling.factor: a number above 0 expected, found 0", ErrFormat, `{"type":"dynamic","factor":0}`},
		{"llama3 without bounds", "rope_scaling", "rope_scaling.low_freq_factor: missing", ErrFormat, `{"rope_type":"llama3","factor":8}`},
		{"llama3 bounds", "rope_scaling", "rope_scaling.high_freq_factor: more than low_freq_factor = 4 expected, found 1", ErrFormat,
			`{"rope_type":"llama3","factor":8,"low_freq_factor":4,"high_freq_factor":1}`},
		{"yarn original", "rope_scaling", "rope_scaling.original_max_position_embeddings: a whole number", ErrFormat,
			`{"rope_type":"yarn","factor":8,"original_max_position_embeddings":0}`},
		{"yarn beta", "rope_scaling", "rope_scaling.beta_fast: a number ≥ 0 expected, found -1", ErrFormat, `{"rope_type":"yarn","factor":8,"beta_fast":-1}`},
		{"yarn truncate", "rope_scaling", "rope_scaling.truncate: true or false expected", ErrFormat, `{"rope_type":"yarn","factor":8,"truncate":0}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			fields := map[string]string{tc.field: tc.value}
			if tc.name == "many heads" {
				fields["head_dim"] = "128"
			}
			_, err := parseChanged(t, fields)
			checkError(t, err, tc.kind, tc.text)
		})
	}
}

func TestConfigNotAnObject(t *testing.T) {
	cases := []struct{ name, content, text string }{
		{"empty", "", "a JSON object expected, found nothing"},
		{"null", "null", "a JSON object expected, found null"},
		{"list", "[]", "cannot unmarshal array"},
		{"open", `{"a":`, "unexpected EOF"},
		{"two", "{}{}", "nothing expected after the JSON object"},
		{"no names", "{}", "architectures: missing, and model_type too"},
		{"open string", `{"NaN`, "unexpected EOF"},
	}
	for _, tc := range cases {
		_, err := parseConfig(configFile, []byte(tc.content))
		checkError(t, err, ErrFormat, tc.text)
	}
}

func TestRoPE(t *testing.T) {
	plain := RoPE{Type: "default", Theta: 10000}
	yarn := RoPE{Type: "yarn", Theta: 10000, Factor: 4, OriginalMaxPositions: 512, Truncate: true}
	with := func(r RoPE, set func(*RoPE)) RoPE {
		set(&r)
		return r
	}
	cases := []struct {
		name   string
		fields map[string]string
		want   RoPE
	}{
		{"theta beside", map[string]string{"rope_theta": "500"}, with(plain, func(r *RoPE) { r.Theta = 500 })},
		{"theta inside", map[string]string{"rope_theta": "500", "rope_parameters": `{"rope_theta":600}`}, with(plain, func(r *RoPE) { r.Theta = 600 })},
		{"empty rope_scaling", map[string]string{"rope_scaling": "{}", "rope_parameters": `{"rope_theta":600}`}, with(plain, func(r *RoPE) { r.Theta = 600 })},
		{"rope_scaling wins", map[string]string{"rope_scaling": `{"type":"linear","factor":2}`, "rope_parameters": `{"rope_theta":600}`},
			RoPE{Type: "linear", Theta: 10000, Factor: 2}},
		{"rope_type before type", map[string]string{"rope_scaling": `{"rope_type":"dynamic","type":"mrope","factor":2}`},
			RoPE{Type: "dynamic", Theta: 10000, Factor: 2}},
		{"llama3", map[string]string{"rope_scaling": `{"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":64}`},
			RoPE{Type: "llama3", Theta: 10000, Factor: 8, LowFreqFactor: 1, HighFreqFactor: 4, OriginalMaxPositions: 64}},
		{"yarn", map[string]string{"rope_scaling": `{"rope_type":"yarn","factor":4,"original_max_position_embeddings":512}`}, yarn},
		{"yarn whose factor is no quotient", map[string]string{"max_position_embeddings": "1024", "rope_scaling": `{"rope_type":"yarn","factor":4,"original_max_position_embeddings":512}`}, yarn},
		{"yarn with factor null", map[string]string{"rope_scaling": `{"rope_type":"yarn","factor":null,"original_max_position_embeddings":512}`}, yarn},
		{"yarn without original", map[string]string{"rope_scaling": `{"rope_type":"yarn","factor":4}`}, with(yarn, func(r *RoPE) { r.OriginalMaxPositions = 2048 })},
		{"yarn with original beside", map[string]string{"original_max_position_embeddings": "256", "rope_scaling": `{"rope_type":"yarn","factor":4,"original_max_position_embeddings":512}`},
			with(yarn, func(r *RoPE) { r.OriginalMaxPositions = 256 })},
		{"yarn with all", map[string]string{"rope_parameters": `{"rope_type":"yarn","factor":4,"original_max_position_embeddings":512,
			"beta_fast":16,"beta_slow":2,"attention_factor":1.5,"mscale":0.7,"mscale_all_dim":0.8,"truncate":false,"rope_theta":10000.0}`},
			RoPE{Type: "yarn", Theta: 10000, Factor: 4, OriginalMaxPositions: 512, BetaFast: 16, BetaSlow: 2, AttentionFactor: 1.5, MScale: 0.7, MScaleAllDim: 0.8}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parseChanged(t, tc.fields)
			if err != nil || c.RoPE != tc.want {
				t.Errorf("%v; found\n%+v, expected\n%+v", err, c.RoPE, tc.want)
			}
		})
	}
}

// Of a family that is not known Open tells what the config says and assumes nothing.
func TestUnknownFamily(t *testing.T) {
	c, err := parseConfig(configFile, []byte(`{"architectures":["OpenELMForCausalLM"],"model_type":"openelm",
		"num_key_value_heads":[3,4],"head_dim":64,"vocab_size":32000,
		"rope_parameters":{"full_attention":{"rope_theta":5}}}`))
	c.Raw = nil
	want := Config{
		Architecture: "OpenELMForCausalLM", ModelType: "openelm", HeadDim: 64, VocabSize: 32000, DType: undecided,
	}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%v; found\n%+v, expected\n%+v", err, c, want)
	}
}

// A config that names no dtype gets that of the weights.
func TestDTypeOfWeights(t *testing.T) {
	header := "{" + entryJSON("a", "I32", "[1]", 0, 4) + "," + entryJSON("b", "F16", "[2]", 4, 8) + "}"
	c := open(t, modelDir(t, map[string]string{weightsFile: string(safetensorsFile(header, 8))}))
	if c.Config.DType != F16 {
		t.Errorf("dtype %v", c.Config.DType)
	}
	c = open(t, modelDir(t, map[string]string{weightsFile: string(safetensorsFile("{}", 0))}))
	if c.Config.DType != F32 {
		t.Errorf("dtype without weights %v", c.Config.DType)
	}
}

func TestRawKeepsWhatPythonWrote(t *testing.T) {
	c, err := parseConfig(configFile, change(t, map[string]string{"limit": "[-Infinity, 0.10, NaN]"}))
	if err != nil {
		t.Fatal(err)
	}
	want := []any{json.Number("-1e999"), json.Number("0.10"), "NaN"}
	if !reflect.DeepEqual(c.Raw["limit"], want) {
		t.Errorf("found %v, expected %v", c.Raw["limit"], want)
	}
}

func TestGeneration(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	yes, k := true, 50
	cases := []struct {
		name, content string
		want          Generation
	}{
		{"empty", `{}`, Generation{}},
		{"nulls", `{"eos_token_id":null,"temperature":null,"top_k":null,"do_sample":null}`, Generation{}},
		{"numbers", `{"bos_token_id":1,"eos_token_id":2}`, Generation{BOS: []int{1}, EOS: []int{2}}},
		{"all", `{"eos_token_id":[2,7],"do_sample":true,"temperature":0.6,"top_k":50,"top_p":0.9,"min_p":0,"repetition_penalty":1.1}`,
			Generation{EOS: []int{2, 7}, DoSample: &yes, Temperature: number(0.6), TopK: &k, TopP: number(0.9), MinP: number(0), RepetitionPenalty: number(1.1)}},
	}
	for _, tc := range cases {
		got, err := parseGeneration(generationFile, []byte(tc.content))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v; found %+v, expected %+v", tc.name, err, got, tc.want)
		}
	}
	for content, text := range map[string]string{
		`{"temperature":Infinity}`: "generation_config.json: temperature: a finite number expected",
		`{"top_k":1.5}`:            "top_k: a whole number from 0 to 2147483647 expected, found 1.5",
		`{"do_sample":"yes"}`:      `do_sample: true or false expected, found "yes"`,
		`[]`:                       "cannot unmarshal array",
	} {
		_, err := parseGeneration(generationFile, []byte(content))
		checkError(t, err, ErrFormat, text)
	}
	dir := modelDir(t, map[string]string{weightsFile: shard("a"), generationFile: "{"})
	_, err := Open(dir)
	checkError(t, err, ErrFormat, "generation_config.json: unexpected EOF")
}
