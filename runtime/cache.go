package runtime

import (
	"io"

	"octet/internal/vec"
)

// cache holds the keys (after RoPE) and values of a session's positions, for one layer.
type cache interface {
	// reserve makes room for positions, a multiple of vec.KeyTile; the first used stay.
	reserve(used, room int)
	// store sets the keys and values k and v [kvHeads, headDim] of position pos.
	store(k, v []float32, pos int)
	// dots sets dst[j*stride+i] to the product of row j of q [n, headDim] with the key of
	// position lo+i < hi of a head; lo is a multiple of vec.KeyTile. What dst holds up to
	// the next multiple means nothing.
	dots(dst []float32, stride int, q []float32, head, lo, hi int)
	// scaleWeights makes weights of a head's positions from 0 on ready for weigh.
	scaleWeights(w []float32, head int)
	// weigh adds to columns from … to-1 of every row j of out [n, headDim] the sum of
	// w[j*stride+i] times the value of position lo+i < hi of a head.
	weigh(out, w []float32, stride, head, lo, hi, from, to int)
	// save and load write and read the first n positions; see sessionMagic.
	save(w io.Writer, n int) error
	load(r io.Reader, n int) error
}

// reserve makes room for n positions. All layers grow together, at least by doubling, so
// that decode seldom does.
func (s *Session) reserve(n int) {
	if n <= s.room {
		return
	}
	s.room = roundUp(min(max(n, 2*s.room, 256), s.model.context), vec.KeyTile)
	for _, c := range s.caches {
		c.reserve(len(s.ids), s.room)
	}
}

// roundUp returns the next multiple of a power of two.
func roundUp(n, multiple int) int { return (n + multiple - 1) &^ (multiple - 1) }

// kvCache is a cache whose values are T. A row is what a head has of a position: row
// head*room + position.
type kvCache[T vec.Cached] struct {
	heads, headDim, room int
	scaled               bool      // rows have scales
	k                    []T       // [heads, room/KeyTile, headDim, KeyTile], tiles of vec.SetKey
	v                    []T       // [heads, room, headDim]
	kScales, vScales     []float32 // [heads, room] if scaled
}

func (c *kvCache[T]) reserve(used, room int) {
	c.k = regrow(c.k, c.heads, roundUp(used, vec.KeyTile)*c.headDim, room*c.headDim)
	c.v = regrow(c.v, c.heads, used*c.headDim, room*c.headDim)
	if c.scaled {
		c.kScales = regrow(c.kScales, c.heads, used, room)
		c.vScales = regrow(c.vScales, c.heads, used, room)
	}
	c.room = room
}

// regrow moves rows, the first used values of which count, to rows of size values.
func regrow[T any](x []T, rows, used, size int) []T {
	y, old := make([]T, rows*size), len(x)/rows
	for r := range rows {
		copy(y[r*size:], x[r*old:][:used])
	}
	return y
}

func (c *kvCache[T]) store(k, v []float32, pos int) {
	for row := pos; len(k) > 0; row += c.room {
		at := c.v[row*c.headDim:][:c.headDim] // the key lies there until the value does
		kScale := vec.Narrow(at, k[:c.headDim])
		vec.SetKey(c.key(row), at)
		vScale := vec.Narrow(at, v[:c.headDim])
		if c.scaled {
			c.kScales[row], c.vScales[row] = kScale, vScale
		}
		k, v = k[c.headDim:], v[c.headDim:]
	}
}

// key is the place of a row's key in its tile; see vec.SetKey.
func (c *kvCache[T]) key(row int) []T {
	return c.k[row/vec.KeyTile*vec.KeyTile*c.headDim+row%vec.KeyTile:]
}

func (c *kvCache[T]) dots(dst []float32, stride int, q []float32, head, lo, hi int) {
	from := head*c.room + lo
	end := head*c.room + roundUp(hi, vec.KeyTile)
	vec.DotTiles(dst, stride, c.k[from*c.headDim:end*c.headDim], q, c.headDim)
	for ; c.scaled && len(q) > 0; q = q[c.headDim:] {
		vec.Mul(dst[:hi-lo], c.kScales[from:])
		dst = dst[min(stride, len(dst)):]
	}
}

func (c *kvCache[T]) scaleWeights(w []float32, head int) {
	if c.scaled {
		vec.Mul(w, c.vScales[head*c.room:])
	}
}

func (c *kvCache[T]) weigh(out, w []float32, stride, head, lo, hi, from, to int) {
	rows := head * c.room
	vec.WeighCached(out, w, stride, c.v[(rows+lo)*c.headDim:(rows+hi)*c.headDim], c.headDim, from, to)
}
