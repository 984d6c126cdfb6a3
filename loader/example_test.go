package loader_test

import (
	"fmt"

	"octet/loader"
	"octet/testdata/demo"
)

func ExampleOpenFS() {
	c, err := loader.OpenFS(demo.FS)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	g := c.Config
	fmt.Println(g.Architecture, g.NumLayers, "layers", g.DType)
	w, err := c.Weight("model.layers.0.mlp.down_proj", g.HiddenSize, g.IntermediateSize)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Values.DType, w.Values.Shape, w.Values.File)
	_, err = c.Tensor("model.layers.6.mlp.down_proj.weight")
	fmt.Println(err)
	// Output:
	// LlamaForCausalLM 6 layers BF16
	// BF16 [192 512] model-00001-of-00002.safetensors
	// loader: model: no tensor "model.layers.6.mlp.down_proj.weight" among the 56 there
}

func ExampleOpen() {
	c, err := loader.Open("../testdata/llama2c/llama2c_shared/model_v2.bin")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	g := c.Config
	w, err := c.Weight("model.layers.1.self_attn.k_proj", g.NumKVHeads*g.HeadDim, g.HiddenSize)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Values.DType, w.Values.Shape, "group", w.Group)
	fmt.Println(w.Scales.DType, w.Scales.Shape)
	// Output:
	// I8 [16 64] group 32
	// F32 [16 2]
}
