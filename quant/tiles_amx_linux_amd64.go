//go:build !purego

package quant

import "unsafe"

const (
	tileRows = leastRows // rows of weights in a tile
	// amxRowTiles and amxTokenTiles are how many tiles of each meet in a call, so that
	// configuring them, some 200 cycles, is a small part of it.
	amxRowTiles, amxTokenTiles = 4, 4
	// amxGroupBytes is how many bytes of a tile of tokens meet the rows in a call: they stay
	// in the first-level cache. A call takes some ten microseconds at most.
	amxGroupBytes = 32 << 10
	// amxSums is the room for two groups' sums, of high and low bytes, in words of 64 bits.
	amxSums = 2 * 2 * tileRows * tileTokens * 4 / 8
)

// amxTiles makes a kernel of products: vnni's, but for more tokens than meet the rows one by
// one. Rows of weights are a tile as they lie. Activations are packed as bytes, four inputs of
// 16 tokens at a time.
type amxTiles struct {
	words, bytes func(b amxBlock)
}

var amx = amxTiles{
	words: func(b amxBlock) { amxWords(&b) },
	bytes: func(b amxBlock) { amxBytes(&b) },
}

// kernel returns the kernel.
func (p *amxTiles) kernel(name string) *kernel {
	k := *vnni.kernel(name)
	k.pack = p.pack
	k.mul = p.mul
	return &k
}

// tileInputs is how many inputs of a group make a tile.
func tileInputs(group int) int {
	if group%64 == 0 {
		return 64
	}
	return 32
}

// pack implements kernel.pack.
func (p *amxTiles) pack(t *tokens, tile, g int) {
	if t.n <= vnni.few {
		vnni.pack(t, tile, g)
		return
	}
	at := tile*t.groups + g
	packLanes(t, tile, g, at*tileTokens)
	src := t.xq[tile*tileTokens*t.cols+g*t.group:][:(tileTokens-1)*t.cols+t.group]
	var parts [2][tileTokens * MaxGroup]int8
	if vnni.packsBytes(t) {
		narrowAVX2(&parts[0][0], &src[0], 2*t.cols, t.group, tileTokens)
		packParts(t, at, parts[:1])
		return
	}
	splitAMX(&parts[0][0], &parts[1][0], &src[0], 2*t.cols, t.group, tileTokens)
	packParts(t, at, parts[:])
}

// packParts writes group at [tile, group] of the packed form: steps of tiles of each part.
func packParts(t *tokens, at int, parts [][tileTokens * MaxGroup]int8) {
	values := tileTokens * t.group * len(parts)
	dst := t.packed[at*values/8:][:values/8]
	inputs := tileInputs(t.group)
	for from := 0; from < t.group; from += inputs {
		for i := range parts {
			vnni.packTile(unsafe.Pointer(&dst[0]), 1, unsafe.Pointer(&parts[i][from]), t.group, inputs/4)
			dst = dst[tileTokens*inputs/8:]
		}
	}
}

// mul implements kernel.mul.
func (p *amxTiles) mul(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	if x.n <= vnni.few {
		vnni.mul(m, x, dst, lo, hi, s)
		return
	}
	for r := lo; r < hi; {
		first, count := nextRowTiles(m, r, hi)
		end := min(first+count*tileRows, hi)
		p.mulRows(m, x, dst, first, count, r, end, s)
		r = end
	}
}

// nextRowTiles returns how many tiles of rows to take next of r … hi-1 and where they start:
// the last of a matrix may begin before r.
func nextRowTiles(m *Matrix, r, hi int) (first, count int) {
	if r+tileRows > hi {
		return min(r, m.rows-tileRows), 1
	}
	return r, min((hi-r)/tileRows, amxRowTiles)
}

// mulRows multiplies count tiles of rows from first with all tokens and writes the results
// of rows lo … hi-1.
func (p *amxTiles) mulRows(m *Matrix, x *tokens, dst []float32, first, count, lo, hi int, s *scratch) {
	rows := count * tileRows
	s.scales = grow(s.scales, rows*x.groups)
	quadScales(s.scales, m, first, rows/quadRows)
	s.acc = grow(s.acc, amxRowTiles*tileRows*amxTokenTiles*tileTokens)
	for tile := 0; tile < tileCount(x.n); tile += amxTokenTiles {
		tiles := min(amxTokenTiles, tileCount(x.n)-tile)
		width := tiles * tileTokens
		acc := s.acc[:rows*width]
		clear(acc)
		p.mulTiles(m, x, tile, tiles, first, count, s)
		from := tile * tileTokens
		to, whole := min(from+width, x.n), lo+(hi-lo)/quadRows*quadRows
		if whole > lo {
			vnni.storeTiles(m, dst, from, to, lo, whole, acc[(lo-first)*width:], width)
		}
		if whole < hi {
			vnni.storeTiles(m, dst, from, to, whole, hi, acc[(whole-first)*width:], width)
		}
	}
}

// mulTiles adds the product of rows with tiles of tokens to s.acc.
func (p *amxTiles) mulTiles(m *Matrix, x *tokens, tile, tiles, first, count int, s *scratch) {
	mul, parts := p.words, 2
	if vnni.packsBytes(x) {
		mul, parts = p.bytes, 1
	}
	s.tiles = grow(s.tiles, amxSums+8)
	inputs, groupBytes := tileInputs(m.group), parts*tileTokens*m.group
	all := amxBlock{
		acc:         &s.acc[0],
		sums:        aligned(s.tiles),
		steps:       m.group / inputs,
		inputs:      inputs,
		tile:        tileTokens * inputs,
		accStride:   4 * tiles * tileTokens,
		xStride:     x.groups * groupBytes,
		wStride:     m.cols,
		swStride:    4 * quadRows * x.groups,
		lanesStride: 4 * tileTokens * x.groups,
		rowTiles:    count,
		tokenTiles:  tiles,
		config:      tileConfig(inputs),
	}
	for g, n := 0, 0; g < x.groups; g += n {
		n = min(max(amxGroupBytes/groupBytes, 1), x.groups-g)
		at, lanes := tile*x.groups+g, ((tiles-1)*x.groups+n)*tileTokens
		w := m.data[first*m.cols+g*m.group:][:(count*tileRows-1)*m.cols+n*m.group]
		sw := s.scales[g*quadRows:][:((count*tileRows/quadRows-1)*x.groups+n)*quadRows]
		packed := x.packed[at*groupBytes/8:][:lanes/tileTokens*groupBytes/8]
		b := all
		b.groups, b.w, b.sw, b.x = n, &w[0], &sw[0], &packed[0]
		b.sx, b.bias = &x.lanes[at*tileTokens:][:lanes][0], &x.biases[at*tileTokens:][:lanes][0]
		mul(b)
	}
}

// aligned returns the first address in s at the start of a cache line; 7 words may be before it.
func aligned(s []uint64) *uint64 {
	return &s[-uintptr(unsafe.Pointer(&s[0]))%64/8]
}

// tileConfig is the configuration of tiles: 0 and 1 have sums, 2 weights of so many inputs, 3
// and 4 activations.
func tileConfig(inputs int) (config [64]byte) {
	config[0] = 1 // palette
	tile := func(i, rows, rowBytes int) {
		config[16+2*i], config[48+i] = byte(rowBytes), byte(rows)
	}
	tile(0, tileRows, 4*tileTokens)
	tile(1, tileRows, 4*tileTokens)
	tile(2, tileRows, inputs)
	tile(3, inputs/4, 4*tileTokens)
	tile(4, inputs/4, 4*tileTokens)
	return config
}
