package loader

// Config is what config.json (or a llama2.c header) says of the model, in the words
// of transformers 5. Fields that the file must hold and does not are an error of Open.
//
// For a family that the package does not know (see families), the fields that the file
// does not hold, or not in the form expected here, are zero: a config of one family says
// nothing of another's defaults.
type Config struct {
	Architecture      string // "LlamaForCausalLM", …; "llama2.c" for a .bin file
	ModelType         string // "llama", "qwen3", …
	HiddenSize        int
	IntermediateSize  int
	NumLayers         int
	NumHeads          int
	NumKVHeads        int
	HeadDim           int
	VocabSize         int
	MaxPositions      int // max_position_embeddings
	NormEps           float64
	HiddenAct         string
	TieWordEmbeddings bool
	AttentionBias     bool
	MLPBias           bool
	RoPE              RoPE
	DType             DType // torch_dtype / dtype; where absent, that of the weights
	BOS               []int // bos_token_id
	EOS               []int // eos_token_id: a number or a list
	Quantization      *Quantization
	Raw               map[string]any // the whole file, not to be changed; numbers as json.Number
}

// Sizes are bounded so that products of two of them fit an int64 with room to spare,
// and so that a table of layers can be made before any layer is read.
const (
	maxSize    = 1<<31 - 1
	maxLayers  = 1 << 16
	maxHeadDim = 1 << 16
)

// parseConfig reads config.json.
func parseConfig(file string, b []byte) (Config, error) {
	raw, err := parseObject(file, b)
	if err != nil {
		return Config{}, err
	}
	o := &object{file: file, fields: raw}
	c := Config{Raw: raw}
	c.ModelType = o.text("model_type", "")
	c.Architecture = architecture(o)
	f, err := familyOf(o, &c)
	if err != nil {
		return Config{}, err
	}
	c.readShape(o, f)
	c.readRest(o, f)
	if err := o.err; err != nil {
		return Config{}, err
	}
	if err := c.readRoPE(o, f); err != nil {
		return Config{}, err
	}
	c.Quantization, err = parseQuantization(o.strict())
	return c, err
}

// architecture is the first of architectures.
func architecture(o *object) string {
	list := o.texts("architectures")
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// readShape reads the sizes of the model.
func (c *Config) readShape(o *object, f family) {
	o.lenient = !f.known
	c.HiddenSize = o.size("hidden_size", required)
	c.IntermediateSize = o.size("intermediate_size", required)
	c.NumLayers = o.size("num_hidden_layers", required)
	c.NumHeads = o.size("num_attention_heads", required)
	c.VocabSize = o.size("vocab_size", required)
	c.MaxPositions = o.size("max_position_embeddings", f.maxPositions)
	c.NumKVHeads = o.size("num_key_value_heads", f.numKVHeads)
	c.HeadDim = o.size("head_dim", f.headDim)
	if o.lenient || o.err != nil {
		return
	}
	if c.NumKVHeads == 0 {
		c.NumKVHeads = c.NumHeads
	}
	if c.HeadDim == 0 {
		if c.HiddenSize%c.NumHeads != 0 {
			o.fail("hidden_size", "a multiple of num_attention_heads = %d expected, found %d", c.NumHeads, c.HiddenSize)
			return
		}
		c.HeadDim = c.HiddenSize / c.NumHeads
	}
	c.checkShape(o)
}

// checkShape checks the sizes against each other.
func (c *Config) checkShape(o *object) {
	switch {
	case c.MaxPositions == 0:
		o.fail("max_position_embeddings", "missing")
	case c.NumLayers > maxLayers:
		o.fail("num_hidden_layers", "at most %d expected, found %d", maxLayers, c.NumLayers)
	case c.HeadDim > maxHeadDim || c.HeadDim%2 != 0:
		o.fail("head_dim", "an even number up to %d expected, found %d", maxHeadDim, c.HeadDim)
	case c.NumHeads > maxSize/c.HeadDim:
		o.fail("num_attention_heads", "at most %d heads of head_dim = %d expected, found %d",
			maxSize/c.HeadDim, c.HeadDim, c.NumHeads)
	case c.NumHeads%c.NumKVHeads != 0:
		o.fail("num_key_value_heads", "a divisor of num_attention_heads = %d expected, found %d", c.NumHeads, c.NumKVHeads)
	}
}

// readRest reads all but sizes, RoPE and quantization.
func (c *Config) readRest(o *object, f family) {
	c.NormEps = o.number("rms_norm_eps", f.normEps)
	if c.NormEps < 0 {
		o.fail("rms_norm_eps", "a number ≥ 0 expected, found %v", c.NormEps)
	}
	c.HiddenAct = o.text("hidden_act", f.hiddenAct)
	c.TieWordEmbeddings = o.flag("tie_word_embeddings", false)
	c.AttentionBias = o.flag("attention_bias", false)
	c.MLPBias = o.flag("mlp_bias", false)
	c.BOS = o.ids("bos_token_id", f.bos)
	c.EOS = o.ids("eos_token_id", f.eos)
	c.DType = o.dtype()
}

// undecided is the DType of a config that names none.
const undecided = DType(255)

// dtypeNames are torch's names of the types that a model can be kept in.
var dtypeNames = map[string]DType{
	"": undecided, "auto": undecided,
	"float32": F32, "float": F32, "bfloat16": BF16, "float16": F16, "half": F16, "float64": F64,
}

// settleDType gives a config that names no dtype that of the first float tensor.
func (c *Checkpoint) settleDType() {
	if c.Config.DType != undecided {
		return
	}
	c.Config.DType = F32
	for _, name := range c.names {
		if t := c.tensors[name]; t.DType.isFloat() {
			c.Config.DType = t.DType
			return
		}
	}
}
