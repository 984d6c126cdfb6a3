package convert

import (
	"bytes"
	"encoding/json"
	"fmt"

	"octet/loader"
)

// quantizationConfig is the quantization_config of compressed-tensors 0.20, in its
// complete form: transformers needs few of its fields, others check more of them.
type quantizationConfig struct {
	ConfigGroups struct {
		Group0 configGroup `json:"group_0"`
	} `json:"config_groups"`
	Format                 string   `json:"format"`
	GlobalCompressionRatio any      `json:"global_compression_ratio"`
	Ignore                 []string `json:"ignore"`
	KVCacheScheme          any      `json:"kv_cache_scheme"`
	MoESparsityConfig      any      `json:"moe_sparsity_config"`
	QuantMethod            string   `json:"quant_method"`
	QuantizationStatus     string   `json:"quantization_status"`
	SparsityConfig         struct{} `json:"sparsity_config"`
	TransformConfig        struct{} `json:"transform_config"`
	Version                string   `json:"version"`
}

type configGroup struct {
	Format            string        `json:"format"`
	InputActivations  any           `json:"input_activations"`
	OutputActivations any           `json:"output_activations"`
	Targets           []string      `json:"targets"`
	Weights           weightsConfig `json:"weights"`
}

type weightsConfig struct {
	Dynamic   bool   `json:"dynamic"`
	GroupSize int    `json:"group_size"`
	NumBits   int    `json:"num_bits"`
	Observer  string `json:"observer"`
	Strategy  string `json:"strategy"`
	Symmetric bool   `json:"symmetric"`
	Type      string `json:"type"`
}

// newQuantizationConfig describes what the package writes.
func newQuantizationConfig(group int) quantizationConfig {
	var c quantizationConfig
	c.ConfigGroups.Group0 = configGroup{
		Format:  "pack-quantized",
		Targets: []string{"Linear"},
		Weights: weightsConfig{
			GroupSize: group, NumBits: 8, Observer: "minmax", Strategy: "group", Symmetric: true, Type: "int",
		},
	}
	c.Format = "pack-quantized"
	c.Ignore = []string{"lm_head"}
	c.QuantMethod = "compressed-tensors"
	c.QuantizationStatus = "compressed"
	c.Version = "0.20.0"
	return c
}

const quantizationKey = "quantization_config"

// addQuantization returns the config.json with a quantization_config for groups of
// group inputs. It works on the text, so that all else stays as it is: the order of
// keys, how numbers are written, NaN and Infinity.
func addQuantization(config []byte, group int) ([]byte, error) {
	value, err := json.MarshalIndent(newQuantizationConfig(group), "  ", "  ")
	if err != nil {
		return nil, fmt.Errorf("convert: %s: %w", configFile, err)
	}
	s := scanner{text: config}
	begin, end, found := s.lastValue(quantizationKey)
	if s.bad {
		return nil, unsupported(configFile, "a JSON object expected")
	}
	var out []byte
	if found { // null: a config that quantizes has been refused
		out = append(out, config[:begin]...)
		out = append(out, value...)
		return append(out, config[end:]...), nil
	}
	out = append(out, bytes.TrimRight(config[:end], " \t\r\n")...)
	if s.members > 0 {
		out = append(out, ',')
	}
	out = fmt.Appendf(out, "\n  %q: %s\n", quantizationKey, value)
	return append(out, config[end:]...), nil
}

// scanner walks the top level of a JSON object without judging what is in it: the
// loader has done that.
type scanner struct {
	text    []byte
	at      int
	members int
	bad     bool
}

// lastValue returns the extent of the value of the last member called key; without one,
// end is the place of the final brace.
func (s *scanner) lastValue(key string) (begin, end int, found bool) {
	s.expect('{')
	for !s.bad && s.peek() != '}' {
		if s.members > 0 {
			s.expect(',')
		}
		name := s.value()
		s.expect(':')
		s.peek()
		from := s.at
		s.value()
		s.members++
		var text string
		if json.Unmarshal(name, &text) == nil && text == key {
			begin, end, found = from, s.at, true
		}
	}
	if !found {
		end = s.at
	}
	s.expect('}')
	return begin, end, found
}

// peek skips white space and returns the byte after it, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// expect skips white space and the byte c.
func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.bad = true
		return
	}
	s.at++
}

// value skips a value and returns its text.
func (s *scanner) value() []byte {
	first := s.peek()
	from := s.at
	switch first {
	case '"':
		s.quoted()
	case '{', '[':
		s.nested()
	default:
		s.word()
	}
	return s.text[from:s.at]
}

// nested skips an object or a list.
func (s *scanner) nested() {
	for depth := 0; s.at < len(s.text) && !s.bad; {
		switch s.text[s.at] {
		case '"':
			s.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if s.at++; depth == 0 {
			return
		}
	}
	s.bad = true
}

// word skips a number, a literal or NaN.
func (s *scanner) word() {
	n := bytes.IndexAny(s.text[s.at:], " \t\r\n,:]}")
	if n <= 0 {
		s.bad = true
		return
	}
	s.at += n
}

// quoted skips a string.
func (s *scanner) quoted() {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return
		}
	}
	s.at = len(s.text)
	s.bad = true
}

// binConfig is the config.json of a llama2.c model.
func binConfig(c *loader.Config) ([]byte, error) {
	b, err := json.MarshalIndent(struct {
		Architectures         []string `json:"architectures"`
		ModelType             string   `json:"model_type"`
		HiddenSize            int      `json:"hidden_size"`
		IntermediateSize      int      `json:"intermediate_size"`
		NumHiddenLayers       int      `json:"num_hidden_layers"`
		NumAttentionHeads     int      `json:"num_attention_heads"`
		NumKeyValueHeads      int      `json:"num_key_value_heads"`
		HeadDim               int      `json:"head_dim"`
		VocabSize             int      `json:"vocab_size"`
		MaxPositionEmbeddings int      `json:"max_position_embeddings"`
		HiddenAct             string   `json:"hidden_act"`
		RMSNormEps            float64  `json:"rms_norm_eps"`
		RoPETheta             float64  `json:"rope_theta"`
		AttentionBias         bool     `json:"attention_bias"`
		MLPBias               bool     `json:"mlp_bias"`
		TieWordEmbeddings     bool     `json:"tie_word_embeddings"`
		BOSTokenID            any      `json:"bos_token_id"`
		EOSTokenID            any      `json:"eos_token_id"`
		TorchDType            string   `json:"torch_dtype"`
	}{
		[]string{"LlamaForCausalLM"}, "llama",
		c.HiddenSize, c.IntermediateSize, c.NumLayers, c.NumHeads, c.NumKVHeads, c.HeadDim, c.VocabSize,
		c.MaxPositions, c.HiddenAct, c.NormEps, c.RoPE.Theta, c.AttentionBias, c.MLPBias, c.TieWordEmbeddings,
		oneOrMore(c.BOS), oneOrMore(c.EOS), "float32",
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("convert: %s: %w", configFile, err)
	}
	return append(b, '\n'), nil
}

// oneOrMore writes a single id as a number.
func oneOrMore(ids []int) any {
	if len(ids) == 1 {
		return ids[0]
	}
	return ids
}
