package loader

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// safetensorsFile is a file with that header, followed by n bytes of data 0, 1, 2, ….
func safetensorsFile(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range n {
		b = append(b, byte(i))
	}
	return b
}

// entryJSON is a tensor in a header.
func entryJSON(name, dtype, shape string, begin, end uint64) string {
	return fmt.Sprintf(`%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, dtype, shape, begin, end)
}

func TestParseSafetensors(t *testing.T) {
	header := `{"__metadata__":{"format":"pt"},` + entryJSON("b", "BF16", "[2,3]", 4, 16) + "," +
		entryJSON("scalar", "I32", "[]", 0, 4) + "," + entryJSON("none", "F32", "[3,0]", 4, 4) + "}   "
	b := safetensorsFile(header, 16)
	got, err := parseSafetensors("x", b)
	if err != nil {
		t.Fatal(err)
	}
	data := b[len(b)-16:]
	want := []Tensor{
		{"scalar", I32, []int{}, data[:4], "x"},
		{"none", F32, []int{3, 0}, data[4:4], "x"},
		{"b", BF16, []int{2, 3}, data[4:], "x"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found\n%v, expected\n%v", got, want)
	}
	if &got[2].Data[0] != &data[4] {
		t.Error("the data was copied")
	}
}

// Every type has the name and size of its safetensors counterpart.
func TestDTypes(t *testing.T) {
	sizes := map[string]int{
		"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
		"I32": 4, "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8,
	}
	for name, size := range sizes {
		d, ok := parseDType(name)
		if !ok || d.String() != name || d.Size() != size {
			t.Errorf("%s: found %v of %d bytes", name, d, d.Size())
		}
		tensors, err := parseSafetensors("x", safetensorsFile("{"+entryJSON("t", name, "[3]", 0, uint64(3*size))+"}", 3*size))
		if err != nil || tensors[0].DType != d {
			t.Errorf("%s: %v, %v", name, tensors, err)
		}
	}
	if d := DType(200); d.Size() != 0 || d.String() != "DType(200)" {
		t.Errorf("no type: %v of %d bytes", d, d.Size())
	}
}

func TestDamagedSafetensors(t *testing.T) {
	one := func(entry string, n int) []byte { return safetensorsFile("{"+entry+"}", n) }
	huge := binary.LittleEndian.AppendUint64(nil, 1<<63)
	many := strings.TrimSuffix(strings.Repeat("1,", 17), ",")
	const norm = "model.norm.weight"
	cases := []struct {
		name string
		b    []byte
		kind error
		text string
	}{
		{"empty", nil, ErrFormat, "at least 8 bytes expected, found 0"},
		{"seven bytes", make([]byte, 7), ErrFormat, "at least 8 bytes expected, found 7"},
		{"no header", make([]byte, 8), ErrFormat, "header: EOF"},
		{"huge header", huge, ErrFormat, "header of at most 100000000 bytes expected, its length field says 9223372036854775808"},
		{"header beyond the file", one(entryJSON("a", "U8", "[1]", 0, 1), 0)[:30], ErrFormat, "22 bytes follow its length field"},
		{"not JSON", safetensorsFile("{]", 0), ErrFormat, "header: invalid character ']'"},
		{"not an object", safetensorsFile("[]", 0), ErrFormat, "a JSON object expected, found ["},
		{"open object", safetensorsFile(`{"a":`, 0), ErrFormat, `tensor "a": EOF`},
		{"two objects", safetensorsFile("{}{}", 0), ErrFormat, "nothing expected after the JSON object"},
		{"not UTF-8", safetensorsFile("\xff", 0), ErrFormat, "header: invalid character"},
		{"metadata", safetensorsFile(`{"__metadata__":{"a":1}}`, 0), ErrFormat, "__metadata__: json: cannot unmarshal number"},
		{"entry is a number", safetensorsFile(`{"a":1}`, 0), ErrFormat, `tensor "a": json: cannot unmarshal number`},
		{"entry is null", safetensorsFile(`{"a":null}`, 0), ErrUnsupported, `tensor "a": dtype ""`},
		{"entry without offsets", safetensorsFile(`{"a":{"dtype":"U8","shape":[0]}}`, 0), ErrFormat, "expected 3 keys"},
		{"entry in other letters", safetensorsFile(`{"a":{"DTYPE":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), ErrFormat, `missing "dtype"`},
		{"null shape", safetensorsFile(`{"a":{"dtype":"U8","shape":null,"data_offsets":[0,1]}}`, 1), ErrFormat, `invalid "shape"`},
		{"negative size", one(entryJSON("a", "U8", "[-1]", 0, 1), 1), ErrFormat, "cannot unmarshal number -1"},
		{"fraction", one(entryJSON("a", "U8", "[1.5]", 0, 1), 1), ErrFormat, "cannot unmarshal number 1.5"},
		{"twice", one(entryJSON("a", "U8", "[1]", 0, 1)+","+entryJSON("a", "U8", "[1]", 1, 2), 2), ErrFormat, `tensor "a" is there twice`},
		{"float8", one(entryJSON("a", "F8_E4M3", "[1]", 0, 1), 1), ErrUnsupported, `tensor "a": dtype "F8_E4M3"`},
		{"four bit", one(entryJSON("a", "F4", "[2]", 0, 1), 1), ErrUnsupported, `tensor "a": dtype "F4"`},
		{"wrong length", one(entryJSON(norm, "BF16", "[2048]", 0, 4094), 4094), ErrFormat,
			`file: tensor "model.norm.weight": 4096 bytes expected for BF16 [2048], data_offsets give 4094`},
		{"offsets beyond the file", one(entryJSON("a", "U8", "[2]", 0, 2), 1), ErrFormat, "data_offsets [0, 2] outside of the 1 bytes of data"},
		{"offsets backwards", one(entryJSON("a", "U8", "[2]", 2, 0), 2), ErrFormat, "data_offsets [2, 0] outside"},
		{"offsets that wrap", one(entryJSON("a", "U8", "[18446744073709551600]", 0, 1<<64-16), 0), ErrFormat, "shape [18446744073709551600] is too large for U8"},
		{"sum that wraps", one(entryJSON("a", "U8", "[9223372036854775807]", 0, 1<<63-1), 0), ErrFormat, "outside of the 0 bytes of data"},
		{"shape that wraps", one(entryJSON("a", "F32", "[4294967296,4294967296]", 0, 0), 0), ErrFormat, "shape [4294967296, 4294967296] is too large for F32"},
		{"shape too large beside a zero", one(entryJSON("a", "U8", "[18446744073709551615,0]", 0, 0), 0), ErrFormat, "is too large for U8"},
		{"dimensions", one(entryJSON("a", "U8", "["+many+"]", 0, 1), 1), ErrUnsupported, "at most 16 dimensions expected, found 17"},
		{"gap", one(entryJSON("a", "U8", "[1]", 0, 1)+","+entryJSON("b", "U8", "[1]", 2, 3), 3), ErrFormat, `tensor "b": data expected at offset 1`},
		{"overlap", one(entryJSON("a", "U8", "[2]", 0, 2)+","+entryJSON("b", "U8", "[2]", 1, 3), 3), ErrFormat, `tensor "b": data expected at offset 2`},
		{"data left over", one(entryJSON("a", "U8", "[1]", 0, 1), 2), ErrFormat, "1 bytes of data expected from the header, found 2"},
		{"data missing", one(entryJSON("a", "U8", "[1]", 0, 1)+","+entryJSON("b", "U8", "[1]", 1, 2), 1), ErrFormat, `tensor "b": data_offsets [1, 2] outside of the 1 bytes`},
		{"long name", one(entryJSON(strings.Repeat("x", 1000), "U9", "[1]", 0, 1), 1), ErrUnsupported, `xxx"…: dtype "U9"`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := parseSafetensors("file", tc.b)
			checkError(t, err, tc.kind, tc.text)
			// The same through a file, mapped.
			dir := modelDir(t, map[string]string{weightsFile: string(tc.b)})
			_, err = Open(dir)
			checkError(t, err, tc.kind, strings.TrimPrefix(tc.text, "file: "))
		})
	}
}

func TestTooManyTensors(t *testing.T) {
	var header strings.Builder
	for i := range maxTensors + 1 {
		fmt.Fprintf(&header, `,"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	_, err := parseSafetensors("file", safetensorsFile("{"+header.String()[1:]+"}", 0))
	checkError(t, err, ErrUnsupported, "header: more than 262144 tensors")
}

// smallConfig is a config.json of a Llama model with one layer.
const smallConfig = `{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":8,
"intermediate_size":12,"num_hidden_layers":1,"num_attention_heads":2,"vocab_size":10}`

// modelDir is a directory with these files; config.json is smallConfig unless given.
func modelDir(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files[configFile]; !ok {
		writeIn(t, dir, configFile, smallConfig)
	}
	for name, content := range files {
		writeIn(t, dir, name, content)
	}
	return dir
}

func writeIn(t testing.TB, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
