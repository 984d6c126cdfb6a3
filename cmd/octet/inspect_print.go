package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// print writes the inspection for people; all lists every tensor by itself.
func (in inspection) print(w io.Writer, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range in.facts() {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "tensor\tdtype\tshape\tsize\tfile")
	for _, g := range group(in.Tensors, all) {
		fmt.Fprintln(t, g)
	}
	return t.Flush()
}

// facts are the lines above the table of tensors: a name and a text.
func (in inspection) facts() [][2]string {
	return [][2]string{
		{"model", fmt.Sprintf("%s (%s)", in.Model, in.Format)},
		{"architecture", fmt.Sprintf("%s (%s)", in.Architecture, in.ModelType)},
		{"octet runs it", in.runs()},
		{"parameters", fmt.Sprintf("%s (%d)", formatCount(in.Parameters), in.Parameters)},
		{"size", fmt.Sprintf("%s in %s, %s", formatBytes(in.Bytes), plural(in.Files, "file"), plural(len(in.Tensors), "tensor"))},
		{"dtype", in.DType},
		{"quantization", in.Quantization.String()},
		{"layers", fmt.Sprint(in.Layers)},
		{"dimensions", fmt.Sprintf("%d hidden, %d feed-forward", in.HiddenSize, in.Intermediate)},
		{"attention", fmt.Sprintf("%d heads of %d, %d for keys and values", in.Heads, in.HeadDim, in.KVHeads)},
		{"vocabulary", fmt.Sprintf("%d, %s", in.Vocabulary, in.tied())},
		{"context", fmt.Sprintf("%d tokens", in.Context)},
		{"rope", in.RoPE.String()},
		{"tokenizer", orNone(in.Tokenizer)},
		{"chat template", yesNo(in.ChatTemplate)},
	}
}

func (in inspection) runs() string {
	switch {
	case in.Runnable == nil:
		return "not tried: its weights would have to be copied into memory"
	case *in.Runnable:
		return "yes"
	}
	return "no: " + printable(in.Obstacle)
}

func (in inspection) tied() string {
	if in.TiedHead {
		return "the output matrix is the embeddings"
	}
	return "with an output matrix of its own"
}

// String describes the rotary embedding in a line.
func (r inspectedRoPE) String() string {
	s := fmt.Sprintf("%s, theta %g", r.Type, r.Theta)
	if r.Factor != 0 {
		s += fmt.Sprintf(", factor %g", r.Factor)
	}
	if r.Interleaved {
		s += ", neighbours paired"
	}
	return s
}

// String describes the quantization in a line.
func (q *inspectedQuantization) String() string {
	if q == nil {
		return "none"
	}
	s := strings.TrimSpace(q.Method + " " + q.Format)
	if q.Strategy == "channel" {
		s += ", a scale a row"
	} else {
		s += fmt.Sprintf(", groups of %d", q.Group)
	}
	if len(q.Ignore) > 0 {
		s += ", not " + strings.Join(q.Ignore, ", ")
	}
	return s
}

// tensorGroup is tensors of the same type and shape whose names differ in numbers.
type tensorGroup struct {
	name         string // numbers replaced by *
	dtype, shape string
	count        int
	bytes        int64
	files        []string
}

var numberInName = regexp.MustCompile(`\.\d+\.`)

// group returns the lines of the table, in the order in which their first tensor comes.
func group(tensors []inspectedTensor, all bool) []*tensorGroup {
	var groups []*tensorGroup
	index := map[string]*tensorGroup{}
	for _, t := range tensors {
		g := tensorGroup{name: printable(t.Name), dtype: t.DType, shape: shapeText(t.Shape)}
		if !all {
			g.name = numberInName.ReplaceAllString(g.name, ".*.")
		}
		key := g.name + " " + g.dtype + g.shape
		if index[key] == nil {
			index[key] = &g
			groups = append(groups, &g)
		}
		index[key].add(t)
	}
	return groups
}

func (g *tensorGroup) add(t inspectedTensor) {
	g.count++
	g.bytes += t.Bytes
	if !slices.Contains(g.files, t.File) {
		g.files = append(g.files, t.File)
	}
}

// String is the line of the table.
func (g *tensorGroup) String() string {
	shape, file := g.shape, g.files[0]
	if g.count > 1 {
		shape = fmt.Sprintf("%d × %s", g.count, g.shape)
	}
	if len(g.files) > 1 {
		file = plural(len(g.files), "file")
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", g.name, g.dtype, shape, formatBytes(g.bytes), file)
}

func shapeText(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
