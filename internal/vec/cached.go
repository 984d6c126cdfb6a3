package vec

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/x448/float16"
)

// Cached are the types in which keys and values may be kept: float32, the bits of an IEEE
// half, and a signed byte whose scale is the caller's affair. All widen to float32 exactly.
type Cached interface{ float32 | uint16 | int8 }

// KeyTile is the number of keys that lie together, so that one vector holds what all of
// them have in a column: a tile is [cols, KeyTile]. Its columns are in the order of
// laneOrder: those of lane 0 (0, 16, 32, …), of lane 8, and so on.
const KeyTile = Lanes

// laneOrder is the order in which Dot's lanes meet in its fold.
var laneOrder = [Lanes]int{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}

// SetKey sets the first key of a tile to x; for key i, tile begins with its value i.
func SetKey[T Cached](tile, x []T) {
	at := 0
	for _, j := range laneOrder {
		for ; j < len(x); j += Lanes {
			tile[at] = x[j]
			at += KeyTile
		}
	}
}

// Key sets x to the first key of a tile; for key i, tile begins with its value i.
func Key[T Cached](x, tile []T) {
	at := 0
	for _, j := range laneOrder {
		for ; j < len(x); j += Lanes {
			x[j] = tile[at]
			at += KeyTile
		}
	}
}

// maxHalf is the bits of 65520, the least float32 that no half is near.
const maxHalf = 0x477ff000

// nanHalf is the half that stands for what halves cannot hold.
const nanHalf = 0x7e00

// Narrow sets dst to x rounded to nearest, half to even, and returns the scale by which it
// has to be multiplied, 1 for float32 and halves. What exceeds the halves (magnitudes from
// 65520 on), is infinite or NaN becomes a NaN half.
//
// Bytes are round_half_even(x/scale) with scale = max|x|/127. Where that is below the
// normal numbers, scale and bytes are 0; where a value is not finite, the scale is NaN and
// the bytes are 0.
func Narrow[T Cached](dst []T, x []float32) (scale float32) {
	x = x[:len(dst)]
	switch d := any(dst).(type) {
	case []float32:
		copy(d, x)
	case []uint16:
		narrowF16(d, x)
	case []int8:
		return narrowI8(d, x)
	}
	return 1
}

func narrowF16Generic(dst []uint16, x []float32) {
	for i, v := range x {
		if math.Float32bits(v)&^(1<<31) >= maxHalf {
			dst[i] = nanHalf
		} else {
			dst[i] = float16.Fromfloat32(v).Bits()
		}
	}
}

// narrowI8 is Narrow for bytes.
func narrowI8(dst []int8, x []float32) float32 {
	const infBits, minNormal = 0x7f800000, 0x1p-126
	largest := largestBits(x)
	scale := math.Float32frombits(largest) / 127
	switch {
	case largest >= infBits:
		scale = float32(math.NaN())
	case scale >= minNormal:
		roundI8(dst, x, scale)
		return scale
	default:
		scale = 0
	}
	clear(dst)
	return scale
}

// largestBitsGeneric is the largest of the bits of |x|, which are ordered as the numbers
// are, infinity and NaN above.
func largestBitsGeneric(x []float32) (largest uint32) {
	for _, v := range x {
		largest = max(largest, math.Float32bits(v)&^(1<<31))
	}
	return largest
}

func roundI8Generic(dst []int8, x []float32, scale float32) {
	for i, v := range x {
		dst[i] = int8((v/scale + roundMagic) - roundMagic)
	}
}

// widenPlain sets dst to x in plain Go.
func widenPlain[T Cached](dst []float32, x []T) {
	x = x[:len(dst)]
	if unsafe.Sizeof(*new(T)) != 2 {
		for i, v := range x {
			dst[i] = float32(v)
		}
		return
	}
	for i, v := range x {
		dst[i] = half(uint16(v))
	}
}

// half widens a half.
func half(h uint16) float32 {
	if e := h & 0x7c00; e != 0 && e != 0x7c00 {
		return normalHalf(uint32(h))
	}
	return float16.Float16(h).Float32()
}

// DotTiles sets dst[j*stride+i] to Dot of key i of keys [tiles, cols, KeyTile], as SetKey sets
// them, and row j of q [n, cols]; stride is at least the number of keys. dst must not overlap keys or q.
func DotTiles[T Cached](dst []float32, stride int, keys []T, q []float32, cols int) {
	tiles, n := len(keys)/(cols*KeyTile), len(q)/cols
	if tiles == 0 || n == 0 {
		return
	}
	if len(dst) < (n-1)*stride+tiles*KeyTile || n > 1 && stride < tiles*KeyTile {
		panic(fmt.Sprintf("vec: DotTiles of %d tiles and %d rows into %d values, stride %d", tiles, n, len(dst), stride))
	}
	dotTiles(dst, stride, keys[:tiles*cols*KeyTile], q[:n*cols], cols)
}

// wideSize is the number of values that are widened at a time for several rows, where a
// row is not longer: they stay in the first-level cache.
const wideSize = 4096

// wideBuffer is x with n values, or more memory where those are too few.
func wideBuffer(x []float32, n int) []float32 {
	if n > len(x) {
		x = make([]float32, n)
	}
	return x[:n]
}

// dotTilesPlain is DotTiles by Dots: keys are widened and put in rows, a tile at a time.
func dotTilesPlain[T Cached](dst []float32, stride int, keys []T, q []float32, cols int) {
	var wide, rows [wideSize]float32
	size := cols * KeyTile
	tile, turned := wideBuffer(wide[:], size), wideBuffer(rows[:], size)
	for ; len(keys) > 0; keys = keys[size:] {
		widenPlain(tile, keys)
		for i := range KeyTile {
			Key(turned[i*cols:][:cols], tile[i:])
		}
		dots(dst, stride, turned, q, cols)
		dst = dst[min(KeyTile, len(dst)):]
	}
}

// WeighCached is WeighColumns for rows v of any cached type.
func WeighCached[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi int) {
	rows, n := checkWeigh(len(dst)/cols, len(v)/cols, len(w), stride, cols, lo, hi)
	if rows > 0 {
		weighCached(dst[:rows*cols], w, stride, v[:n*cols], cols, lo, hi)
	}
}

// weighWidened is WeighCached by WeighColumns, of a few rows at a time made float32.
func weighWidened[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi int) {
	var buf [wideSize]float32
	wide := wideBuffer(buf[:], max(wideSize/cols, 1)*cols)
	for len(v) > 0 {
		part := wide[:min(len(wide), len(v))]
		widen(part, v[:len(part)])
		weigh(dst, w, stride, part, cols, lo, hi)
		w, v = w[min(len(part)/cols, len(w)):], v[len(part):]
	}
}
