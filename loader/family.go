package loader

// family holds what transformers assumes of a model family where its config.json says
// nothing (the field is absent).
type family struct {
	known        bool
	modelType    string
	architecture string
	numKVHeads   int // 0: num_attention_heads
	headDim      int // 0: hidden_size / num_attention_heads
	maxPositions int
	normEps      float64
	ropeTheta    float64
	hiddenAct    string
	bos, eos     []int
}

// families are those whose defaults are known here, from transformers'
// configuration_llama.py and configuration_qwen3.py.
var families = []family{
	{
		known: true, modelType: "llama", architecture: "LlamaForCausalLM",
		maxPositions: 2048, normEps: 1e-6, ropeTheta: 10000, hiddenAct: "silu",
		bos: []int{1}, eos: []int{2},
	},
	{
		known: true, modelType: "qwen3", architecture: "Qwen3ForCausalLM",
		numKVHeads: 32, headDim: 128,
		maxPositions: 32768, normEps: 1e-6, ropeTheta: 10000, hiddenAct: "silu",
	},
}

// familyOf finds the family by architectures and model_type. A config that names only
// one of them gets the other from the table; one whose two names are of different
// families is refused, as either could be meant.
func familyOf(o *object, c *Config) (family, error) {
	if c.ModelType == "" && c.Architecture == "" && o.err == nil {
		o.fail("architectures", "missing, and model_type too")
	}
	if o.err != nil {
		return family{}, o.err
	}
	for _, f := range families {
		byType, byArch := c.ModelType == f.modelType, c.Architecture == f.architecture
		switch {
		case byType && c.Architecture == "", byArch && c.ModelType == "":
			c.ModelType, c.Architecture = f.modelType, f.architecture
			return f, nil
		case byType && byArch:
			return f, nil
		case byArch:
			return family{}, unsupported(o.file, "model_type: %q expected with architecture %s, found %s",
				f.modelType, f.architecture, quote(c.ModelType))
		}
	}
	return family{}, nil
}
