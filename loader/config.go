package loader

// Config is what config.json (or a llama2.c header) says of the model, in the words
// of transformers 5. Fields that the file must hold and does not are an error of Open.
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
	DType             DType // torch_dtype / dtype
	BOS               []int // bos_token_id
	EOS               []int // eos_token_id: a number or a list
	Quantization      *Quantization
	Raw               map[string]any // the whole file; numbers as json.Number
}

// RoPE holds the rotary embedding's parameters.
type RoPE struct {
	Type                 string // "default", "linear", "dynamic", "llama3", "yarn"
	Theta                float64
	Factor               float64
	OriginalMaxPositions int     // original_max_position_embeddings
	LowFreqFactor        float64 // llama3
	HighFreqFactor       float64 // llama3
	BetaFast, BetaSlow   float64 // yarn; 0 where absent
	AttentionFactor      float64 // yarn; 0 where absent
	MScale, MScaleAllDim float64 // yarn; 0 where absent
	Truncate             bool    // yarn; true where absent
	Interleaved          bool    // pairs (2i, 2i+1), as in llama2.c; otherwise (i, i+d/2)
}

// Generation is generation_config.json; zero where the file is absent.
type Generation struct {
	BOS, EOS          []int
	DoSample          *bool
	Temperature       *float64
	TopK              *int
	TopP, MinP        *float64
	RepetitionPenalty *float64
}

// Quantization is the quantization_config of a compressed-tensors checkpoint, or the
// group size of a llama2.c v2 file.
type Quantization struct {
	Method   string // "compressed-tensors", "llama2.c"
	Format   string // "pack-quantized", "int-quantized"
	Strategy string // "group", "channel"
	Group    int    // 0 for channel
	Ignore   []string
}
