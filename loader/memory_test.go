package loader

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	config := Config{DType: BF16}
	norm := Tensor{Name: "model.norm.weight", DType: F32, Shape: []int{3}, Data: make([]byte, 12)}
	c, err := New(config, []Tensor{norm})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, err := c.Tensor(norm.Name); err != nil || &got.Data[0] != &norm.Data[0] {
		t.Errorf("found %v, %v: the tensor itself expected", got, err)
	}
	if entries, err := fs.ReadDir(c.FS(), "."); err != nil || len(entries) != 0 {
		t.Errorf("files %v, %v", entries, err)
	}
}

func TestNewRefuses(t *testing.T) {
	tensor := func(n int, shape ...int) Tensor {
		return Tensor{Name: "w", DType: F16, Shape: shape, Data: make([]byte, n)}
	}
	for _, test := range []struct {
		name    string
		config  Config
		tensors []Tensor
		want    string
	}{
		{"too few bytes", Config{}, []Tensor{tensor(11, 2, 3)}, "12 bytes expected for F16 [2, 3], found 11"},
		{"a negative size", Config{}, []Tensor{tensor(0, -1)}, "too large"},
		{"an overflow", Config{}, []Tensor{tensor(0, 1<<32, 1<<32)}, "too large"},
		{"a name twice", Config{}, []Tensor{tensor(2, 1), tensor(2, 1)}, `tensor "w" is in`},
		{"quantized without int8", Config{Quantization: &Quantization{}}, []Tensor{tensor(2, 1)}, "found none"},
	} {
		_, err := New(test.config, test.tensors)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestParseConfig(t *testing.T) {
	if _, err := ParseConfig([]byte("{}")); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v", err)
	}
}
