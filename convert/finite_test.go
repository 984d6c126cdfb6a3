package convert

import (
	"encoding/binary"
	"math"
	"testing"
)

// simpleIndexOfAll16 is indexOfAll16 an element at a time.
func simpleIndexOfAll16(data []byte, exponent uint16) int {
	for i := range len(data) / 2 {
		if binary.LittleEndian.Uint16(data[2*i:])&exponent == exponent {
			return i
		}
	}
	return -1
}

// TestFullExponentIsFound puts every 16-bit value at places in and behind whole blocks.
func TestFullExponentIsFound(t *testing.T) {
	for name, exponent := range map[string]uint16{"BF16": 0x7f80, "F16": 0x7c00} {
		t.Run(name, func(t *testing.T) {
			data := make([]byte, 2*70)
			for i := range 70 { // the largest numbers, of both signs
				binary.LittleEndian.PutUint16(data[2*i:], exponent-1|uint16(i%2)<<15)
			}
			for value := range 1 << 16 {
				at := value % 70
				was := binary.LittleEndian.Uint16(data[2*at:])
				binary.LittleEndian.PutUint16(data[2*at:], uint16(value))
				if got, want := indexOfAll16(data, exponent), simpleIndexOfAll16(data, exponent); got != want {
					t.Fatalf("%#04x at %d: found at %d, want %d", value, at, got, want)
				}
				binary.LittleEndian.PutUint16(data[2*at:], was)
			}
		})
	}
}

func TestFirstFullExponentIsFound(t *testing.T) {
	data := make([]byte, 2*100)
	for i := 99; i >= 0; i-- {
		binary.LittleEndian.PutUint16(data[2*i:], 0xff80)
		if got := indexOfAll16(data, 0x7f80); got != i {
			t.Errorf("found at %d, want %d", got, i)
		}
	}
	wide := binary.LittleEndian.AppendUint32(make([]byte, 12), math.Float32bits(float32(math.Inf(-1))))
	if got := indexOfAll32(wide, 0x7f800000); got != 3 {
		t.Errorf("F32: found at %d, want 3", got)
	}
}
