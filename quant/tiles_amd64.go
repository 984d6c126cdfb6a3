//go:build amd64 && !purego

package quant

import "unsafe"

const (
	quadRows   = 4  // rows that a primitive takes together
	blockQuads = 8  // quads that meet tiles together, while these are in the first-level cache
	tileTokens = 16 // tokens whose activations are interleaved
	blockTiles = 4  // tiles that meet the weights together
	blockRows  = blockQuads * quadRows
	leastRows  = 16 // of a matrix: no fewer groups than any batch
)

// tileMul adds a group's product of rows with tiles to acc: see tile1AVX2.
type tileMul func(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)

// tiles makes a kernel of the primitives of an instruction set. They are trusted: slices
// are cut here to the lengths that they read and write.
//
// A few tokens meet the rows one by one: weights stream past them. More are packed in tiles
// of 16: in steps of 32 bits from each token (two words or four bytes), so that a step's 16
// tokens are a register, and the 32 bits of a row's weights are the same in all its lanes.
// Four tiles in a row are interleaved again, step by step. Rows are widened or gathered
// once for all tokens.
type tiles struct {
	few        int  // up to how many tokens meet the rows one by one
	bytes      bool // Int8 activations are bytes, else words
	wide       bool // AVX-512 transposes
	batch      int  // groups that terms takes together
	terms      func(dst *float32, w *byte, n, group int, x *int16, bias *int32, sx, sw *float32, groups, step int)
	mul1, mul4 [2]tileMul // of words, of bytes; without mul4 tiles go one by one
}

// kernel returns the kernel.
func (p *tiles) kernel(name string) *kernel {
	return &kernel{
		name:         name,
		rows:         blockRows,
		tile:         tileTokens,
		takes:        func(m *Matrix) bool { return m.group%32 == 0 && m.rows >= leastRows },
		quantize:     quantizeVector,
		maxBits:      maxBitsVector,
		roundWeights: roundWeightsVector,
		room:         p.room,
		pack:         p.pack,
		mul:          p.mul,
	}
}

// packsBytes tells whether x is packed in bytes.
func (p *tiles) packsBytes(x *tokens) bool { return p.bytes && x.limit == Int8.limit() }

// room makes room for packed tokens: those of the last tile that do not exist are zero.
func (p *tiles) room(t *tokens) {
	if t.n <= p.few {
		t.packed = grow(t.packed, t.n*wrapped(t)*t.group/4)
		t.lanes = grow(t.lanes, t.n*wrapped(t))
		t.biases = grow(t.biases, t.n*wrapped(t))
		return
	}
	count := tileCount(t.n)
	t.xq = grow(t.xq, count*tileTokens*t.cols)
	clear(t.xq[t.n*t.cols:])
	size := 2
	if p.packsBytes(t) {
		size = 1
	}
	t.packed = grow(t.packed, count*tileTokens*t.cols*size/8)
	t.lanes = grow(t.lanes, count*tileTokens*t.groups)
	t.biases = grow(t.biases, count*tileTokens*t.groups)
}

// tileCount is the number of tiles of n tokens.
func tileCount(n int) int { return (n + tileTokens - 1) / tileTokens }

// block returns the first tile of the block that a tile is in and how many tiles it has.
func (p *tiles) block(tile, n int) (first, count int) {
	first = tile / blockTiles * blockTiles
	if p.mul4[0] == nil || first+blockTiles > tileCount(n) {
		return tile, 1
	}
	return first, blockTiles
}

// pack writes the packed form of a tile's group, with its scales and biases. All tiles of a
// block have their group one after the other.
func (p *tiles) pack(t *tokens, tile, g int) {
	if t.n <= p.few {
		wrap(t, g)
		return
	}
	first, count := p.block(tile, t.n)
	at, in := first*t.groups+g*count, tile-first
	packLanes(t, tile, g, (at+in)*tileTokens)
	src := t.xq[tile*tileTokens*t.cols+g*t.group:][:(tileTokens-1)*t.cols+t.group]
	values := tileTokens * t.group
	if p.packsBytes(t) {
		var narrow [tileTokens * MaxGroup]int8
		narrowAVX2(&narrow[0], &src[0], 2*t.cols, t.group, tileTokens)
		dst := t.packed[at*values/8:][:count*values/8]
		p.packTile(unsafe.Pointer(&dst[in*tileTokens/2]), count, unsafe.Pointer(&narrow[0]), t.group, t.group/4)
		return
	}
	dst := t.packed[at*values/4:][:count*values/4]
	p.packTile(unsafe.Pointer(&dst[in*tileTokens/2]), count, unsafe.Pointer(&src[0]), 2*t.cols, t.group/2)
}

// packLanes writes the scales and biases of a tile's group from index at: zeros for tokens
// that do not exist.
func packLanes(t *tokens, tile, g, at int) {
	lanes, biases := t.lanes[at:][:tileTokens], t.biases[at:][:tileTokens]
	for i := range lanes {
		lanes[i], biases[i] = 0, 0
		if token := tile*tileTokens + i; token < t.n {
			lanes[i], biases[i] = t.scales[token*t.groups+g], -128*t.sums[token*t.groups+g]
		}
	}
}

// packTile transposes 16 rows of steps to dst [steps, count, 16], of which it is one tile.
func (p *tiles) packTile(dst unsafe.Pointer, count int, src unsafe.Pointer, stride, steps int) {
	p.transpose(dst, count*tileTokens*4, src, stride, tileTokens/quadRows, steps)
}

// transpose writes 4·quads rows of n words of 32 bits as n rows. Strides are in bytes.
func (p *tiles) transpose(dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, quads, n int) {
	wide := 0 // quads
	if p.wide && n%4 == 0 {
		wide = quads &^ 3
	}
	if wide > 0 {
		transposeAVX512(dst, dstStride, src, srcStride, wide/4, n)
	}
	if wide < quads {
		transposeAVX2(unsafe.Add(dst, 16*wide), dstStride, unsafe.Add(src, 4*wide*srcStride), srcStride, quads-wide, n)
	}
}

// mul implements kernel.mul.
func (p *tiles) mul(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	if x.n <= p.few {
		p.mulRows(m, x, dst, lo, hi, s)
		return
	}
	for ; lo < hi; lo += blockQuads * quadRows {
		p.mulBlock(m, x, dst, lo, min(lo+blockRows, hi), s)
	}
}

// mulRows multiplies rows with tokens one by one. Where the last rows have fewer groups than
// terms takes together, rows before them are computed again.
func (p *tiles) mulRows(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	s.scales = grow(s.scales, blockRows*x.groups)
	s.terms = grow(s.terms, blockRows*x.groups)
	s.acc = grow(s.acc, blockRows)
	for r := lo; r < hi; r += blockRows {
		end := min(r+blockRows, hi)
		first := max(min(r, end-(p.batch+x.groups-1)/x.groups), 0)
		n := (end - first) * x.groups
		m.scales.Widen(s.scales[:n], first*x.groups)
		fetchScales(m, end*x.groups, n)
		w := m.data[first*m.cols : end*m.cols]
		for t := range x.n {
			at := t * wrapped(x)
			xq, lanes, biases := x.packed[at*m.group/4:], x.lanes[at:], x.biases[at:]
			p.terms(&s.terms[0], &w[0], n, m.group, (*int16)(unsafe.Pointer(&xq[0])), &biases[0], &lanes[0], &s.scales[0], x.groups, p.batch%x.groups)
			sumTermsAVX2(&s.acc[0], &s.terms[0], x.groups, (end-first+7)&^7)
			copy(dst[t*m.rows+r:t*m.rows+end], s.acc[r-first:])
		}
	}
}

// fetchScales fetches n scales from one on, or as many as there are.
func fetchScales(m *Matrix, from, n int) {
	if n = min(n, m.scales.Len()-from); n > 0 {
		size := m.scales.Element.Size()
		prefetchAMD64(&m.scales.Data[from*size], 0, 1, n*size)
	}
}

// wrapped is the number of groups of a token of few: its own, and the first ones again, so
// that any batch of weights has them in a row.
func wrapped(t *tokens) int { return t.groups + leastRows - 1 }

// wrap writes group g of all tokens wherever it stands among the wrapped ones.
func wrap(t *tokens, g int) {
	packed := unsafe.Slice((*int16)(unsafe.Pointer(&t.packed[0])), 4*len(t.packed))
	for token := range t.n {
		from := token*t.groups + g
		for i := g; i < wrapped(t); i += t.groups {
			at := token*wrapped(t) + i
			copy(packed[at*t.group:][:t.group], t.xq[from*t.group:])
			t.lanes[at], t.biases[at] = t.scales[from], -128*t.sums[from]
		}
	}
}

// nextQuads returns how many quads of rows, at most blockQuads, to take next of r … hi-1 and where
// they start: the last quad of a matrix may begin before r.
func nextQuads(m *Matrix, r, hi int) (first, count int) {
	if r+quadRows > hi {
		return min(r, m.rows-quadRows), 1
	}
	return r, min((hi-r)/quadRows, blockQuads)
}

// quadScales widens the scales of quads of rows from r to dst [quads, groups, 4].
func quadScales(dst []float32, m *Matrix, r, quads int) {
	groups, size := m.cols/m.group, m.scales.Element.Size()
	dst = dst[:quads*quadRows*groups]
	src := m.scales.Data[r*groups*size:][:len(dst)*size]
	switch m.scales.Element {
	case F32:
		for q := range quads {
			at := q * quadRows * groups
			transposeAVX2(unsafe.Pointer(&dst[at]), 16, unsafe.Pointer(&src[4*at]), 4*groups, 1, groups)
		}
	case BF16:
		scalesBF16AVX2(&dst[0], unsafe.Pointer(&src[0]), quads, groups)
	default:
		scalesF16AVX2(&dst[0], unsafe.Pointer(&src[0]), quads, groups)
	}
}

// mulBlock multiplies a block of rows with all tiles.
func (p *tiles) mulBlock(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	s.scales = grow(s.scales, blockRows*x.groups)
	s.tiles = grow(s.tiles, blockRows*m.cols*2/8)
	s.acc = grow(s.acc, blockRows*blockTiles*tileTokens)
	for r := lo; r < hi; {
		first, quads := nextQuads(m, r, hi)
		end := min(first+quads*quadRows, hi)
		p.loadQuads(m, x, first, quads, s)
		for tile := 0; tile < tileCount(x.n); {
			_, count := p.block(tile, x.n)
			p.mulTiles(m, x, tile, count, first, quads, s)
			from := tile * tileTokens
			p.storeTiles(m, dst, from, min(from+count*tileTokens, x.n), r, end, s.acc[(r-first)*count*tileTokens:], count*tileTokens)
			tile += count
		}
		r = end
	}
}

// loadQuads puts scales and weights of quads of rows into s: s.tiles [groups, 32, group].
func (p *tiles) loadQuads(m *Matrix, x *tokens, first, quads int, s *scratch) {
	quadScales(s.scales, m, first, quads)
	load, size := widenAVX2, 2
	if p.packsBytes(x) {
		load, size = gatherAVX2, 1
	}
	quad := quadRows * m.group * size
	w := s.tiles[:blockRows*m.cols*size/8]
	for q := range quads {
		src := m.data[(first+q*quadRows)*m.cols:][:quadRows*m.cols]
		load(unsafe.Pointer(&w[q*quad/8]), blockQuads*quad, &src[0], m.cols, m.group, x.groups)
	}
}

// mulTiles sets s.acc [quads, 4, count, 16] to the product of the rows in s with count tiles.
// Meanwhile the rows after them come from memory.
func (p *tiles) mulTiles(m *Matrix, x *tokens, tile, count, first, quads int, s *scratch) {
	mul, size := &p.mul1, 2
	if count > 1 {
		mul = &p.mul4
	}
	f := mul[0]
	if p.packsBytes(x) {
		f, size = mul[1], 1
	}
	acc := s.acc[:blockRows*count*tileTokens]
	clear(acc)
	next := m.data[min(first+quads*quadRows, m.rows)*m.cols:]
	fetch := tile == 0 && len(next) >= blockRows*m.cols
	groupBytes := m.group * size
	steps := groupBytes / 4
	for g := range x.groups {
		if fetch {
			prefetchAMD64(&next[g*m.group], m.cols, blockRows, m.group)
		}
		at := (tile*x.groups + g*count) * tileTokens
		lanes, biases := x.lanes[at:][:count*tileTokens], x.biases[at:][:count*tileTokens]
		tiles := x.packed[at*groupBytes/8:][:count*tileTokens*groupBytes/8]
		w := s.tiles[g*blockRows*groupBytes/8:][:blockRows*groupBytes/8]
		// From the first quad's group to the last's, as if the block were full.
		sw := s.scales[g*quadRows:][:quadRows*((blockQuads-1)*x.groups+1)]
		f(&acc[0], unsafe.Pointer(&tiles[0]), unsafe.Pointer(&w[0]), &sw[0], &lanes[0], &biases[0],
			steps, quads, quadRows*groupBytes, 4*quadRows*x.groups)
	}
}

// storeTiles writes acc [hi-lo, width], of tokens from … to-1, to rows lo … hi-1 of
// dst [n, m.rows].
func (p *tiles) storeTiles(m *Matrix, dst []float32, from, to, lo, hi int, acc []float32, width int) {
	if whole := (hi - lo) / quadRows; whole > 0 {
		rows := whole * quadRows
		acc, dst := acc[:rows*width], dst[from*m.rows+lo:][:(to-from-1)*m.rows+rows]
		p.transpose(unsafe.Pointer(&dst[0]), 4*m.rows, unsafe.Pointer(&acc[0]), 4*width, whole, to-from)
		return
	}
	for i := range hi - lo {
		for t := from; t < to; t++ {
			dst[t*m.rows+lo+i] = acc[i*width+t-from]
		}
	}
}
