package tokenizer

// decoder makes text of tokens.
type decoder interface {
	// start begins a text, which is appended to *out. With eager, what is certain is written as
	// soon as it is; without, the text is that of the reference to the byte (see the package).
	start(out *[]byte, eager bool) decoding
}

// decoding is the decoding of one text.
type decoding interface {
	push(id int)
	flush()
}

// link is one step of a decoder of tokenizer.json: it hands on the tokens that it gets, changed.
// Tokens come in fragments, so that a step that joins them all doesn't have to wait.
type link interface {
	write(text string, end bool) // end: the token ends with this fragment
	close()                      // the text ends
}

// step makes a link in front of the next one.
type step interface {
	link(next link, eager bool) link
	growth() int // how many times longer a token can get
}

// steps is the decoder of tokenizer.json.
type steps struct {
	spelled func(id int) string
	steps   []step
}

func (d *steps) start(out *[]byte, eager bool) decoding {
	var first link = output{out}
	for i := len(d.steps) - 1; i >= 0; i-- {
		first = d.steps[i].link(first, eager)
	}
	return chainDecoding{first, d.spelled}
}

type chainDecoding struct {
	first   link
	spelled func(id int) string
}

func (d chainDecoding) push(id int) { d.first.write(d.spelled(id), true) }
func (d chainDecoding) flush()      { d.first.close() }

// output is the end of the chain.
type output struct{ out *[]byte }

func (o output) write(text string, _ bool) { *o.out = append(*o.out, text...) }
func (o output) close()                    {}

// parseDecoder reads the decoder of tokenizer.json; Sequences become flat.
func parseDecoder(f field) ([]step, error) {
	if f.null() {
		return []step{spaced{}}, nil
	}
	all, err := newSteps(f)
	if err != nil {
		return nil, err
	}
	growth := 1
	for _, s := range all {
		growth = min(growth*min(s.growth(), maxGrowth+1), maxGrowth+1)
	}
	return all, f.grow(growth)
}

func newSteps(f field) ([]step, error) {
	kind, err := f.kind()
	if err != nil {
		return nil, err
	}
	if kind != "Sequence" {
		s, err := newStep(f, kind)
		return []step{s}, err
	}
	list, err := f.list("decoders")
	if err != nil {
		return nil, err
	}
	var all []step
	for _, f := range list {
		s, err := newSteps(f)
		if err != nil {
			return nil, err
		}
		if all = append(all, s...); len(all) > maxSequence {
			return nil, f.errorf(ErrUnsupported, "more than %d decoders", maxSequence)
		}
	}
	return all, nil
}

func newStep(f field, kind string) (step, error) {
	switch kind {
	case "ByteLevel":
		return byteLevelStep{}, nil
	case "ByteFallback":
		return byteFallback{}, nil
	case "Fuse":
		return fuse{}, nil
	case "Replace":
		r, err := newReplace(f)
		if _, ok := r.pattern.(literal); err == nil && !ok {
			return nil, f.errorf(ErrUnsupported, "a pattern that is not a String")
		}
		return replaceStep{r}, err
	case "Strip":
		return newStripStep(f)
	case "Metaspace":
		m, err := newMetaspace(f)
		return metaspaceStep{m}, err
	}
	return nil, f.unknown(kind)
}

// spaced joins tokens by spaces: what the library does without a decoder.
type spaced struct{}

type spacedLink struct {
	next  link
	begun bool
}

func (spaced) growth() int                 { return 2 }
func (spaced) link(next link, _ bool) link { return &spacedLink{next: next} }

func (l *spacedLink) write(text string, end bool) {
	if l.begun {
		text = " " + text
	}
	l.begun = true
	l.next.write(text, end)
}

func (l *spacedLink) close() { l.next.close() }

// fuse makes one token of all.
type fuse struct{}

type fuseLink struct{ next link }

func (fuse) growth() int                 { return 1 }
func (fuse) link(next link, _ bool) link { return fuseLink{next} }

func (l fuseLink) write(text string, _ bool) { l.next.write(text, false) }

func (l fuseLink) close() {
	l.next.write("", true)
	l.next.close()
}

// whole calls done with complete tokens: for steps that can't work on fragments.
type whole struct {
	held []byte
	some bool
}

func (w *whole) write(text string, end bool, done func(token string)) {
	if end && !w.some {
		done(text)
		return
	}
	w.held, w.some = append(w.held, text...), true
	if end {
		token := string(w.held)
		w.held, w.some = w.held[:0], false
		done(token)
	}
}
