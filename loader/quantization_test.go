package loader

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// packedConfig is the smallest quantization_config that compressed-tensors loads, with
// groups of 4.
const packedConfig = `{"quant_method":"compressed-tensors","format":"pack-quantized","quantization_status":"compressed",` +
	`"config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":8,"type":"int","symmetric":true,"strategy":"group","group_size":4}}},` +
	`"ignore":["lm_head"]}`

func TestQuantizationConfig(t *testing.T) {
	group := Quantization{Method: "compressed-tensors", Format: "pack-quantized", Strategy: "group", Group: 4, Ignore: []string{"lm_head"}}
	with := func(set func(*Quantization)) Quantization {
		q := group
		set(&q)
		return q
	}
	channel := with(func(q *Quantization) { q.Strategy, q.Group = "channel", 0 })
	const weights = `"weights":{"num_bits":8,"type":"int","symmetric":true,"strategy":"group","group_size":4}`
	cases := []struct {
		name     string
		old, new string
		want     Quantization
	}{
		{"group", "", "", group},
		{"defaults", `"num_bits":8,"type":"int","symmetric":true,"strategy":"group",`, "", group},
		{"no format", `"format":"pack-quantized",`, "", with(func(q *Quantization) { q.Format = "" })},
		{"format of the group", weights, weights + `,"format":"int-quantized"`, with(func(q *Quantization) { q.Format = "int-quantized" })},
		{"no status", `"quantization_status":"compressed",`, "", group},
		{"frozen", `"compressed",`, `"frozen",`, group},
		{"channel", `"group","group_size":4`, `"channel","group_size":null`, channel},
		{"channel as -1", `"strategy":"group","group_size":4`, `"group_size":-1`, channel},
		{"channel twice", `"group","group_size":4`, `"channel","group_size":-1`, channel},
		{"capitals", `"int","symmetric":true,"strategy":"group"`, `"INT","symmetric":true,"strategy":"Group"`, group},
		{"pattern", `"Linear"`, `"re:.*_proj$"`, group},
		{"nulls", weights, weights + `,"input_activations":null,"output_activations":null`, group},
		{"activations as they come", weights, weights + `,"input_activations":{"num_bits":8,"dynamic":true,"strategy":"token","group_size":null}`, group},
		{"calibration order", `"group_size":4`, `"group_size":4,"actorder":"static","dynamic":false,"observer":"mse","scale_dtype":null`, group},
		{"dense", `"ignore"`, `"sparsity_config":{"format":"dense","ignore":[]},"kv_cache_scheme":null,"transform_config":{},"ignore"`, group},
		{"two groups", `"group_0":{`, `"group_1":{"targets":["re:x"],` + weights + `},"group_0":{`, group},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c, err := parseChanged(t, map[string]string{"quantization_config": strings.Replace(packedConfig, tc.old, tc.new, 1)})
			if err != nil || !reflect.DeepEqual(*c.Quantization, tc.want) {
				t.Errorf("%v; found\n%+v, expected\n%+v", err, c.Quantization, tc.want)
			}
		})
	}
}

func TestQuantizationRefused(t *testing.T) {
	const weights = "quantization_config.config_groups.group_0.weights."
	const addTo = `"group_size":4}`
	cases := []struct {
		name     string
		old, new string
		kind     error
		text     string
	}{
		{"gptq", `"compressed-tensors"`, `"gptq"`, ErrUnsupported, `config.json: quantization_config.quant_method: "compressed-tensors" expected, found "gptq"`},
		{"no method", `"quant_method":"compressed-tensors",`, "", ErrUnsupported, `quant_method: "compressed-tensors" expected, found ""`},
		{"other format", `"pack-quantized"`, `"marlin-24"`, ErrUnsupported, `quantization_config.format: pack-quantized or int-quantized expected, found "marlin-24"`},
		{"mixed formats", `"pack-quantized"`, `"mixed-precision"`, ErrUnsupported, `found "mixed-precision"`},
		{"status", `"compressed",`, `"calibration",`, ErrUnsupported, `quantization_config.quantization_status: compressed or frozen expected, found "calibration"`},
		{"four bits", `"num_bits":8`, `"num_bits":4`, ErrUnsupported, weights + "num_bits: 8 expected, found 4"},
		{"float", `"type":"int"`, `"type":"float"`, ErrUnsupported, weights + `type: int expected, found "float"`},
		{"asymmetric", `"symmetric":true`, `"symmetric":false`, ErrUnsupported, weights + "symmetric: true expected, found false"},
		{"tensor", `"strategy":"group","group_size":4`, `"strategy":"tensor"`, ErrUnsupported, weights + `strategy: group or channel expected, found "tensor"`},
		{"tensor by default", `"strategy":"group","group_size":4`, `"group_size":null`, ErrUnsupported, weights + `strategy: group or channel expected, found nothing, which means "tensor"`},
		{"block", `"strategy":"group","group_size":4`, `"strategy":"block","block_structure":[128,128]`, ErrUnsupported, weights + "block_structure: null expected"},
		{"no group size", `"group_size":4`, `"group_size":null`, ErrFormat, weights + "group_size: a group size expected with strategy group, found null"},
		{"group size 0", `"group_size":4`, `"group_size":0`, ErrFormat, weights + "group_size: a whole number from 1"},
		{"channel with group size", `"strategy":"group"`, `"strategy":"channel"`, ErrFormat, weights + "group_size: null expected with strategy channel, found 4"},
		{"order", addTo, `"group_size":4,"actorder":"group"}`, ErrUnsupported, weights + `actorder: weight or static expected, found "group"`},
		{"order true", addTo, `"group_size":4,"actorder":true}`, ErrFormat, weights + "actorder: a string expected, found true"},
		{"dynamic weights", addTo, `"group_size":4,"dynamic":true}`, ErrUnsupported, weights + "dynamic: false expected, found true"},
		{"new field", addTo, `"group_size":4,"twist":1}`, ErrUnsupported, weights + "twist: a field that is not known"},
		{"static activations", addTo, addTo + `,"input_activations":{"num_bits":8,"strategy":"token"}`, ErrUnsupported, "group_0.input_activations.dynamic: true expected, found null"},
		{"activations per tensor", addTo, addTo + `,"input_activations":{"dynamic":true,"strategy":"tensor"}`, ErrUnsupported, `input_activations.strategy: token expected, found "tensor"`},
		{"output activations", addTo, addTo + `,"output_activations":{"num_bits":8}`, ErrUnsupported, "group_0.output_activations: null expected"},
		{"no targets", `"targets":["Linear"],`, "", ErrFormat, "group_0.targets: missing"},
		{"preset", `{"targets":["Linear"],`, `["Linear"], "x":{"targets":["Linear"],`, ErrFormat, `config_groups.group_0: an object expected, found ["Linear"]`},
		{"no groups", `"config_groups":{"group_0"`, `"other":{"group_0"`, ErrFormat, "quantization_config.config_groups: missing"},
		{"two schemes", `"group_0":{`, `"a":{"targets":["x"],"weights":{"group_size":32}},"group_0":{`, ErrUnsupported, `config_groups.group_0: the same scheme as in "a" expected`},
		{"cache", `"ignore"`, `"kv_cache_scheme":{"num_bits":8},"ignore"`, ErrUnsupported, "kv_cache_scheme: null expected, found"},
		{"sparse", `"ignore"`, `"sparsity_config":{"format":"sparse-24-bitmask"},"ignore"`, ErrUnsupported, `sparsity_config.format: dense expected, found "sparse-24-bitmask"`},
		{"percent in a name", `"group_0":{"targets":["Linear"]`, `"%s%d":{"targets":[]`, ErrFormat, "config_groups.%s%d.targets: missing"},
		{"ignore", `["lm_head"]`, `"lm_head"`, ErrFormat, `ignore: a list of strings expected, found "lm_head"`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			changed := strings.Replace(packedConfig, tc.old, tc.new, 1)
			if changed == packedConfig {
				t.Fatal("nothing to replace")
			}
			_, err := parseChanged(t, map[string]string{"quantization_config": changed})
			checkError(t, err, tc.kind, tc.text)
		})
	}
}

// tensorSpec is a tensor for checkpoint.
type tensorSpec struct {
	name, dtype, shape string
	data               []byte
}

// checkpoint is a file of tensors.
func tensorFile(specs []tensorSpec) string {
	var entries []string
	var data []byte
	for _, s := range specs {
		entries = append(entries, entryJSON(s.name, s.dtype, s.shape, uint64(len(data)), uint64(len(data)+len(s.data))))
		data = append(data, s.data...)
	}
	return string(safetensorsFile("{"+strings.Join(entries, ",")+"}", 0)) + string(data)
}

// shapeData is the content of a weight_shape tensor.
func shapeData(rows, cols uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rows), cols)
}

func TestWeight(t *testing.T) {
	packed := tensorSpec{"x.weight_packed", "I32", "[3,2]", make([]byte, 24)}
	scale := tensorSpec{"x.weight_scale", "BF16", "[3,2]", make([]byte, 12)}
	shape := tensorSpec{"x.weight_shape", "I64", "[2]", shapeData(3, 8)}
	plain := tensorSpec{"x.weight", "BF16", "[3,8]", make([]byte, 48)}
	int8s := tensorSpec{"x.weight", "I8", "[3,8]", make([]byte, 24)}
	row := tensorSpec{"x.weight_scale", "F32", "[3,1]", make([]byte, 12)}
	with := func(s tensorSpec, name, dtype, shape string, n int) tensorSpec {
		s.name, s.dtype, s.shape, s.data = name, dtype, shape, make([]byte, n)
		return s
	}
	group := packedConfig
	channel := strings.Replace(packedConfig, `"group","group_size":4`, `"channel"`, 1)
	integers := strings.Replace(channel, "pack-quantized", "int-quantized", 1)
	cases := []struct {
		name    string
		config  string
		tensors []tensorSpec
		kind    error
		text    string // of the error; "" for none
		group   int
	}{
		{"float", "null", []tensorSpec{plain}, nil, "", 0},
		{"float in a quantized model", group, []tensorSpec{plain}, nil, "", 0},
		{"packed", group, []tensorSpec{packed, scale, shape}, nil, "", 4},
		{"packed per channel", channel, []tensorSpec{packed, row, shape}, nil, "", 8},
		{"packed, format by tensors", strings.Replace(group, `"format":"pack-quantized",`, "", 1), []tensorSpec{packed, scale, shape}, nil, "", 4},
		{"int8 per channel", integers, []tensorSpec{int8s, row}, nil, "", 8},
		{"int8, format by tensors", strings.Replace(integers, `"format":"int-quantized",`, "", 1), []tensorSpec{int8s, row}, nil, "", 8},
		{"shape in I32", group, []tensorSpec{packed, scale, {"x.weight_shape", "I32", "[2]", []byte{3, 0, 0, 0, 8, 0, 0, 0}}}, nil, "", 4},
		{"absent", "null", []tensorSpec{{"y.weight", "U8", "[1]", []byte{0}}}, ErrMissingTensor, `no tensor "x.weight" among the 1 there`, 0},
		{"other shape", "null", []tensorSpec{with(plain, "x.weight", "BF16", "[8,3]", 48)}, ErrFormat, `tensor "x.weight": shape [3, 8] expected, found [8, 3]`, 0},
		{"one dimension", "null", []tensorSpec{with(plain, "x.weight", "BF16", "[24]", 48)}, ErrFormat, "shape [3, 8] expected, found [24]", 0},
		{"other type", "null", []tensorSpec{with(plain, "x.weight", "F64", "[3,8]", 192)}, ErrUnsupported, "F32, BF16 or F16 expected, found F64", 0},
		{"packed without config", "null", []tensorSpec{packed, scale, shape}, ErrFormat, "config.json has no quantization_config, found I32 [3, 2]", 0},
		{"int8 without config", "null", []tensorSpec{int8s, row}, ErrFormat, "config.json has no quantization_config, found I8 [3, 8]", 0},
		{"ignored", strings.Replace(group, `"lm_head"`, `"x"`, 1), []tensorSpec{packed, scale, shape}, ErrFormat, "as quantization_config.ignore has it", 0},
		{"ignored by pattern", strings.Replace(group, `"lm_head"`, `"re:(?=y)","re:."`, 1), []tensorSpec{packed, scale, shape}, ErrFormat, "as quantization_config.ignore has it", 0},
		{"other format", integers, []tensorSpec{packed, row, shape}, ErrFormat, "a weight in format int-quantized expected from config.json, found pack-quantized", 0},
		{"zero point", group, []tensorSpec{packed, scale, shape, {"x.weight_zero_point", "I8", "[3,2]", make([]byte, 6)}}, ErrUnsupported, `tensor "x.weight_zero_point": only symmetric`, 0},
		{"float beside", group, []tensorSpec{packed, scale, shape, plain}, ErrFormat, `tensor "x.weight": unexpected beside "x.weight_packed"`, 0},
		{"scale of a float", group, []tensorSpec{plain, scale}, ErrFormat, `tensor "x.weight_scale": it scales no x.weight of type I8`, 0},
		{"no scale", group, []tensorSpec{packed, shape}, ErrMissingTensor, `no tensor "x.weight_scale"`, 0},
		{"no shape", group, []tensorSpec{packed, scale}, ErrMissingTensor, `no tensor "x.weight_shape"`, 0},
		{"other scales", group, []tensorSpec{packed, row, shape}, ErrFormat, `tensor "x.weight_scale": shape [3, 2] expected, found [3, 1]`, 0},
		{"scale of integers", group, []tensorSpec{packed, with(scale, "x.weight_scale", "I8", "[3,2]", 6), shape}, ErrUnsupported, "F32, BF16 or F16 expected, found I8", 0},
		{"other weight_shape", group, []tensorSpec{packed, scale, {"x.weight_shape", "I64", "[2]", shapeData(8, 3)}}, ErrFormat, `tensor "x.weight_shape": [3, 8] expected, found [8, 3]`, 0},
		{"negative weight_shape", group, []tensorSpec{packed, scale, {"x.weight_shape", "I64", "[2]", shapeData(1<<63, 8)}}, ErrFormat, "found [-9223372036854775808, 8]", 0},
		{"long weight_shape", group, []tensorSpec{packed, scale, {"x.weight_shape", "I64", "[3]", make([]byte, 24)}}, ErrFormat, "shape [2] expected, found [3]", 0},
		{"packed shape", group, []tensorSpec{with(packed, packed.name, "I32", "[3,3]", 36), scale, shape}, ErrFormat, "shape [3, 2] expected, found [3, 3]", 0},
		{"packed bytes", group, []tensorSpec{with(packed, packed.name, "U8", "[3,2]", 6), scale, shape}, ErrUnsupported, "I32 expected, found U8", 0},
		{"group does not divide", strings.Replace(group, `"group_size":4`, `"group_size":3`, 1), []tensorSpec{packed, scale, shape}, ErrUnsupported,
			`tensor "x.weight_packed": a number of columns that the group size 3 divides expected, found 8`, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := open(t, modelDir(t, map[string]string{
				configFile:  string(change(t, map[string]string{"quantization_config": tc.config})),
				weightsFile: tensorFile(tc.tensors),
			}))
			w, err := c.Weight("x", 3, 8)
			if tc.text != "" {
				checkError(t, err, tc.kind, tc.text)
			} else if err != nil || w.Group != tc.group || w.Values.Name != tc.tensors[0].name {
				t.Errorf("%+v, %v", w, err)
			}
		})
	}
}

func TestPackedColumns(t *testing.T) {
	c := open(t, modelDir(t, map[string]string{
		configFile:  string(change(t, map[string]string{"quantization_config": packedConfig})),
		weightsFile: tensorFile([]tensorSpec{{"x.weight_packed", "I32", "[3,2]", make([]byte, 24)}}),
	}))
	_, err := c.Weight("x", 3, 7)
	checkError(t, err, ErrUnsupported, `tensor "x.weight_packed": a number of columns that 4 divides expected, found 7`)
}

// A config that speaks of quantization beside weights that have none is no float model.
func TestQuantizedWithoutWeights(t *testing.T) {
	config := strings.Replace(packedConfig, `"format":"pack-quantized",`, "", 1)
	_, err := Open(modelDir(t, map[string]string{
		configFile:  string(change(t, map[string]string{"quantization_config": config})),
		weightsFile: shard("x.weight"),
	}))
	checkError(t, err, ErrFormat, "quantization_config: quantized weights expected, found none")
}

// A pattern takes much more memory compiled than written.
func TestIgnoreListIsBounded(t *testing.T) {
	for name, ignore := range map[string][]string{
		"many": slices.Repeat([]string{"re:a"}, maxPatterns+1),
		"long": {"re:" + strings.Repeat("a", maxPatternBytes+1)},
	} {
		if _, err := newIgnoreList(ignore); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l, err := newIgnoreList(append(slices.Repeat([]string{"re:a"}, maxPatterns), "x"))
	if err != nil || !l.has("x") || !l.has("ab") || l.has("b") {
		t.Errorf("%v, %v", l, err)
	}
}
