package quant

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNewMatrixRefuses(t *testing.T) {
	tests := []struct {
		name              string
		rows, cols, group int
		data, scales      int // bytes
		element           Element
		want              string
	}{
		{"no rows", 0, 64, 32, 0, 0, F32, "shape [0, 64]"},
		{"no columns", 2, 0, 32, 0, 0, F32, "shape [2, 0]"},
		{"negative rows", -2, 64, 32, 128, 16, F32, "shape [-2, 64]"},
		{"sizes that overflow", 1 << 30, 1 << 30, 32, 0, 0, F32, "shape"},
		{"no group", 2, 64, 0, 128, 16, F32, "group size 0"},
		{"a group too large", 2, 256, 256, 512, 8, F32, "group size 256"},
		{"a group that does not divide", 2, 96, 64, 192, 16, F32, "group size 64"},
		{"missing data", 2, 64, 32, 127, 16, F32, "128 bytes expected for [2, 64], found 127"},
		{"too much data", 2, 64, 32, 129, 16, F32, "found 129"},
		{"missing scales", 2, 64, 32, 128, 12, F32, "scales: 16 bytes expected for F32 [2, 2], found 12"},
		{"scales of another type", 2, 64, 32, 128, 16, BF16, "8 bytes expected for BF16"},
		{"an unknown type", 2, 64, 32, 128, 8, Element(7), "found Element(7)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scales := Floats{tt.element, make([]byte, tt.scales)}
			_, err := NewMatrix(tt.rows, tt.cols, tt.group, make([]byte, tt.data), scales)
			if err == nil || !strings.HasPrefix(err.Error(), "quant: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestNewDenseRefuses(t *testing.T) {
	tests := []struct {
		name       string
		rows, cols int
		values     Floats
		want       string
	}{
		{"no rows", 0, 4, Floats{}, "shape [0, 4]"},
		{"missing values", 2, 4, Floats{F32, make([]byte, 31)}, "32 bytes expected for F32 [2, 4], found 31"},
		{"too many values", 2, 4, Floats{F16, make([]byte, 18)}, "16 bytes expected"},
		{"an unknown type", 2, 4, Floats{Element(3), make([]byte, 16)}, "found Element(3)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewDense(tt.rows, tt.cols, tt.values)
			if err == nil || !strings.HasPrefix(err.Error(), "quant: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRowDequantizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, group := range []int{1, 32, 128} {
		m := randomMatrix(t, r, 7, 3*group, group, F16)
		for row := range m.rows {
			got := make([]float32, m.cols)
			m.Row(got, row)
			for i, v := range got {
				if want := float32(float32(m.q[row*m.cols+i]) * m.scales[(row*m.cols+i)/group]); v != want {
					t.Fatalf("weight [%d, %d]: got %v, want %v", row, i, v, want)
				}
			}
		}
	}
}

func TestLinearFacts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	d, _ := randomDense(t, r, 6, 64, F16)
	m := randomMatrix(t, r, 6, 64, 32, BF16)
	tests := []struct {
		name  string
		l     Linear
		bytes int64
	}{
		{"dense", d, 6 * 64 * 2},
		{"int8", m, 6*64 + 6*2*2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if rows, cols := tt.l.Size(); rows != 6 || cols != 64 {
				t.Errorf("size [%d, %d]", rows, cols)
			}
			if tt.l.Bytes() != tt.bytes {
				t.Errorf("%d bytes, want %d", tt.l.Bytes(), tt.bytes)
			}
		})
	}
	if d.Element() != F16 || m.Group() != 32 {
		t.Errorf("element %v, group %d", d.Element(), m.Group())
	}
}
