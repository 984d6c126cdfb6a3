package quant

// Product is a linear layer and where its outputs go.
type Product struct {
	Weight Linear
	Dst    []float32 // [n, rows]
}

// MulAll sets each product's Dst as Weight.Mul does. The products share the workers, so that
// these wait for each other once.
func MulAll(p *Pool, in *Input, products []Product) {
	t := &in.product
	t.start(p, in, products)
	p.Run(t.chunks(), 1, t)
	t.end(in)
}

// mulOne is MulAll of one product.
func mulOne(p *Pool, in *Input, weight Linear, dst []float32) {
	in.one[0] = Product{weight, dst}
	MulAll(p, in, in.one[:])
	in.one[0] = Product{}
}

// productTask is several products. Items are their chunks of rows.
type productTask struct{ parts []productPart }

// productPart is one of them.
type productPart struct {
	task        Task // items are rows
	rows, chunk int
}

// chunks is the number of chunks.
func (p *productPart) chunks() int { return (p.rows + p.chunk - 1) / p.chunk }

func (t *productTask) chunks() (n int) {
	for i := range t.parts {
		n += t.parts[i].chunks()
	}
	return n
}

// start prepares the products.
func (t *productTask) start(p *Pool, in *Input, products []Product) {
	all := 0
	for _, x := range products {
		rows, _ := x.Weight.Size()
		all += rows
	}
	t.parts = t.parts[:0]
	for _, x := range products {
		rows, cols := x.Weight.Size()
		task, block := x.Weight.start(p, x.Dst, in)
		t.parts = append(t.parts, productPart{task, rows, rowChunk(all, cols*in.n, p.Threads(), block)})
	}
}

// end forgets the products, which are the caller's.
func (t *productTask) end(in *Input) {
	clear(t.parts)
	for _, g := range in.groups[:in.groupsUsed] {
		g.m, g.x, g.dst = nil, nil, nil
	}
	for _, f := range in.floats[:in.floatsUsed] {
		f.weights, f.x, f.dst = nil, nil, nil
	}
	in.groupsUsed, in.floatsUsed = 0, 0
}

// Do implements Task.
func (t *productTask) Do(w, lo, hi int) {
	for ; lo < hi; lo++ {
		part, i := t.find(lo)
		part.task.Do(w, i*part.chunk, min((i+1)*part.chunk, part.rows))
	}
}

// find returns the product of a chunk, and the chunk's number there.
func (t *productTask) find(chunk int) (*productPart, int) {
	for i := range t.parts {
		n := t.parts[i].chunks()
		if chunk < n {
			return &t.parts[i], chunk
		}
		chunk -= n
	}
	panic("quant: no such chunk")
}
