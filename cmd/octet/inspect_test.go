package main

import (
	"strings"
	"testing"
)

func TestInspectJSON(t *testing.T) {
	out := goodJSON[map[string]any](t, "", "inspect", "--json")
	for _, key := range []string{"architecture", "parameters", "tensors", "quantization", "context", "layers", "heads", "dtype", "tokenizer", "chat_template"} {
		if _, ok := out[key]; !ok {
			t.Errorf("no %q", key)
		}
	}
	if out["architecture"] != "LlamaForCausalLM" || out["quantization"] != nil || out["runnable"] != true || out["chat_template"] != true {
		t.Errorf("found %v", out)
	}
	tensor := out["tensors"].([]any)[0].(map[string]any)
	for _, key := range []string{"name", "dtype", "shape", "bytes", "file"} {
		if _, ok := tensor[key]; !ok {
			t.Errorf("no %q in a tensor: %v", key, tensor)
		}
	}
}

// TestInspectParameters counts the same weights in each form of a model. In the bins the
// output matrix is there or not; the packed forms have scales and shapes that do not count.
func TestInspectParameters(t *testing.T) {
	count := func(path string) int64 {
		return goodJSON[inspection](t, "", "inspect", "--json", "-m", path).Parameters
	}
	const quantized, llama2c = "../../testdata/quantized/", "../../testdata/llama2c/llama2c_unshared/"
	want := count(quantized + "llama_base")
	for _, name := range []string{"llama_pack_g32", "llama_pack_g64", "llama_pack_channel", "llama_int_channel_w8a8", "llama_pack_g64_lmhead"} {
		if got := count(quantized + name); got != want {
			t.Errorf("%s: %d parameters, llama_base has %d", name, got, want)
		}
	}
	if a, b := count(llama2c+"model_v0.bin"), count(llama2c+"model_v2.bin"); a != b {
		t.Errorf("llama2.c: %d parameters in version 0, %d in version 2", a, b)
	}
}

func TestInspectTable(t *testing.T) {
	short, long := good(t, "", "inspect"), good(t, "", "inspect", "--tensors")
	for _, want := range []string{"LlamaForCausalLM (llama)", "yes", "2.8M", "2 files", "model.layers.*.mlp.down_proj.weight", "6 × [192, 512]"} {
		if !strings.Contains(short, want) {
			t.Errorf("no %q in\n%s", want, short)
		}
	}
	if want := "model.layers.3.mlp.down_proj.weight"; !strings.Contains(long, want) || strings.Contains(short, want) {
		t.Errorf("%q expected with --tensors alone", want)
	}
}

func TestInspectQuantized(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"llama_pack_g32", "compressed-tensors pack-quantized, groups of 32, not lm_head"},
		{"llama_pack_channel", "compressed-tensors pack-quantized, a scale a row, not lm_head"},
		{"llama_int_channel_w8a16", "compressed-tensors int-quantized, a scale a row, not lm_head"},
	} {
		t.Run(test.path, func(t *testing.T) {
			if out := good(t, "", "inspect", "-m", "../../testdata/quantized/"+test.path); !strings.Contains(out, test.want) {
				t.Errorf("no %q in\n%s", test.want, out)
			}
		})
	}
}

// TestInspectUnknown: a model that octet cannot run can be looked at.
func TestInspectUnknown(t *testing.T) {
	dir := demoDirectory(t)
	if err := replaceIn(dir+"/config.json", "LlamaForCausalLM", "MambaForCausalLM"); err != nil {
		t.Fatal(err)
	}
	if err := replaceIn(dir+"/config.json", `"llama"`, `"mamba"`); err != nil {
		t.Fatal(err)
	}
	out := good(t, "", "inspect", "-m", dir)
	if !strings.Contains(out, "MambaForCausalLM (mamba)") || !strings.Contains(out, "no: runtime: unsupported: architectures") {
		t.Errorf("found\n%s", out)
	}
}
