package convert

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// All but quantization_config stays as it was written.
func TestAddQuantization(t *testing.T) {
	value, err := json.MarshalIndent(newQuantizationConfig(64), "  ", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, config, want string }{
		{"last", "{\n  \"b\": 1e-05,\n  \"a\": [1.0, {}]\n}\n", "{\n  \"b\": 1e-05,\n  \"a\": [1.0, {}],\n  \"quantization_config\": Q\n}\n"},
		{"one line", `{"a":"}\"{","b":{"c":[]}}`, "{\"a\":\"}\\\"{\",\"b\":{\"c\":[]},\n  \"quantization_config\": Q\n}"},
		{"empty", "{ }", "{\n  \"quantization_config\": Q\n}"},
		{"no numbers", `{"a": NaN, "b": -Infinity}`, "{\"a\": NaN, \"b\": -Infinity,\n  \"quantization_config\": Q\n}"},
		{"null", `{"quantization_config": null, "z": 1}`, `{"quantization_config": Q, "z": 1}`},
		{"escaped", `{"quantization\u005fconfig":null}`, `{"quantization\u005fconfig":Q}`},
		{"deeper", `{"a": {"quantization_config": null}}`, "{\"a\": {\"quantization_config\": null},\n  \"quantization_config\": Q\n}"},
	} {
		got, err := addQuantization([]byte(test.config), 64)
		if want := strings.ReplaceAll(test.want, "Q", string(value)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", test.name, got, err)
		}
	}
	for _, config := range []string{"", "[]", "{", `{"a`, `{"a":1`, `{"a" 1}`, `{"a":}`, `{"a":1 "b":2}`, "null", `{"a":1,}`} {
		if got, err := addQuantization([]byte(config), 64); err == nil {
			t.Errorf("%q becomes %q", config, got)
		}
	}
}

// What is written is what compressed-tensors writes itself.
func TestQuantizationConfigGolden(t *testing.T) {
	b, err := os.ReadFile("../testdata/quantized/llama_pack_g32/config.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]any
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	if b, err = json.Marshal(newQuantizationConfig(32)); err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, golden[quantizationKey]) {
		t.Errorf("%v, want %v", got, golden[quantizationKey])
	}
}

// Any JSON object keeps its fields and gets one more; anything else is an error at most.
func FuzzAddQuantization(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"quantization_config":null}`, "{}", `{"a":[{"b":"\\\""}],"c":null}`, "{", `{"a":NaN}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, config []byte) {
		got, err := addQuantization(config, 64)
		var before, after map[string]any
		if json.Unmarshal(config, &before) != nil || before == nil {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", config, err)
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q becomes %q: %v", config, got, err)
		}
		if _, ok := after[quantizationKey].(map[string]any); !ok {
			t.Errorf("%q becomes %q", config, got)
		}
		delete(before, quantizationKey)
		delete(after, quantizationKey)
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q becomes %q", config, got)
		}
	})
}
