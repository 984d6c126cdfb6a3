package loader

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Quantization is the quantization_config of a compressed-tensors checkpoint, or the
// group size of a llama2.c v2 file.
type Quantization struct {
	Method   string // "compressed-tensors", "llama2.c"
	Format   string // "pack-quantized", "int-quantized"; "" for llama2.c
	Strategy string // "group", "channel"
	Group    int    // 0 for channel
	Ignore   []string
}

const (
	packQuantized = "pack-quantized" // four values in an I32, q+128
	intQuantized  = "int-quantized"  // a value in an I8
)

// parseQuantization reads quantization_config, in the field's absence nil. Whatever
// would change the meaning of the weights and is not 8-bit, symmetric, per group or per
// channel is refused with the name of the field. Defaults are those of
// compressed-tensors' quant_args.py, quant_scheme.py and quant_config.py.
func parseQuantization(o *object) (*Quantization, error) {
	q := o.sub("quantization_config")
	if q == nil {
		return nil, o.err
	}
	method := q.text("quant_method", "")
	if method != "compressed-tensors" {
		q.refuse("quant_method", `"compressed-tensors" expected, found %s`, quote(method))
		return nil, q.err
	}
	q.oneOf("quantization_status", "compressed", "compressed", "frozen")
	q.absent("kv_cache_scheme", "moe_sparsity_config", "transform_config")
	q.dense("sparsity_config")
	result := &Quantization{Method: method, Ignore: q.texts("ignore")}
	format := q.format()
	groups := q.sub("config_groups")
	if groups == nil || len(groups.fields) == 0 {
		q.fail("config_groups", "missing")
		return nil, q.err
	}
	if q.err != nil {
		return nil, q.err
	}
	return result, result.readGroups(groups, format)
}

// format is the format field; "" where absent.
func (o *object) format() string {
	if !o.has("format") {
		return ""
	}
	return o.oneOf("format", "", packQuantized, intQuantized)
}

// readGroups reads config_groups, all of which have to say the same.
func (q *Quantization) readGroups(groups *object, format string) error {
	first := ""
	for _, name := range slices.Sorted(maps.Keys(groups.fields)) {
		g := groups.sub(name)
		if g == nil {
			return groups.err
		}
		scheme := readScheme(g)
		if scheme.Format == "" {
			scheme.Format = format
		}
		if g.err != nil {
			return g.err
		}
		if first == "" {
			first = name
			q.Format, q.Strategy, q.Group = scheme.Format, scheme.Strategy, scheme.Group
		} else if scheme.Format != q.Format || scheme.Strategy != q.Strategy || scheme.Group != q.Group {
			groups.refuse(name, "the same scheme as in %s expected for all layers", quote(first))
			return groups.err
		}
	}
	return nil
}

// readScheme reads one of config_groups.
func readScheme(g *object) Quantization {
	var q Quantization
	q.Format = g.format()
	if len(g.texts("targets")) == 0 {
		g.fail("targets", "missing")
	}
	g.absent("output_activations")
	if in := g.sub("input_activations"); in != nil {
		in.readActivations()
		g.err = firstError(g.err, in.err)
	}
	w := g.sub("weights")
	if w == nil {
		g.fail("weights", "missing")
		return q
	}
	w.only("num_bits", "type", "symmetric", "group_size", "strategy", "block_structure",
		"dynamic", "actorder", "scale_dtype", "zp_dtype", "observer", "observer_kwargs")
	w.readInt8()
	if w.flag("dynamic", false) {
		w.refuse("dynamic", "false expected, found true")
	}
	w.absent("block_structure")
	w.readActOrder()
	q.Strategy, q.Group = w.readStrategy()
	g.err = firstError(g.err, w.err)
	return q
}

// readInt8 checks that values are 8-bit, symmetric integers.
func (o *object) readInt8() {
	if n := o.size("num_bits", 8); n != 8 {
		o.refuse("num_bits", "8 expected, found %d", n)
	}
	o.oneOf("type", "int", "int")
	if !o.flag("symmetric", true) {
		o.refuse("symmetric", "true expected, found false")
	}
}

// readActivations accepts activations that are quantized as they come: the weights do
// not depend on them.
func (o *object) readActivations() {
	o.readInt8()
	if v := o.fields["dynamic"]; v != true {
		o.refuse("dynamic", "true expected, found %s", show(v))
	}
	o.oneOf("strategy", "token", "token")
}

// readActOrder accepts the orders that concern calibration only. With the others the
// columns of a group are not neighbours.
func (o *object) readActOrder() {
	if v := o.fields["actorder"]; v != nil && v != false {
		o.oneOf("actorder", "", "weight", "static")
	}
}

// readStrategy returns the strategy and the group size, 0 for channel.
func (o *object) readStrategy() (strategy string, group int) {
	channelSize := false // -1 is another way to say channel
	if n, ok := whole(o.fields["group_size"]); ok && n == -1 {
		channelSize = true
	} else if o.has("group_size") {
		group = o.size("group_size", 0)
	}
	otherwise := "tensor"
	if channelSize {
		otherwise = "channel"
	} else if group > 0 {
		otherwise = "group"
	}
	strategy = o.oneOf("strategy", otherwise, "group", "channel")
	if strategy == "group" && group == 0 {
		o.fail("group_size", "a group size expected with strategy group, found %s", show(o.fields["group_size"]))
	}
	if strategy == "channel" && group != 0 {
		o.fail("group_size", "null expected with strategy channel, found %d", group)
	}
	return strategy, group
}

// oneOf is a string, in lower case, that must be one of a few. An absent one counts as
// otherwise, which is checked too.
func (o *object) oneOf(name, otherwise string, allowed ...string) string {
	s := strings.ToLower(o.text(name, otherwise))
	if slices.Contains(allowed, s) {
		return s
	}
	found := quote(s)
	if !o.has(name) {
		found = "nothing, which means " + found
	}
	o.refuse(name, "%s expected, found %s", strings.Join(allowed, " or "), found)
	return ""
}

// absent refuses fields that hold anything but null or an empty object.
func (o *object) absent(names ...string) {
	for _, name := range names {
		v := o.fields[name]
		if m, ok := v.(map[string]any); v == nil || ok && len(m) == 0 {
			continue
		}
		o.refuse(name, "null expected, found %s", show(v))
	}
}

// dense refuses a sparsity configuration, unless it says that nothing is sparse.
func (o *object) dense(name string) {
	s := o.sub(name)
	if s == nil || len(s.fields) == 0 {
		return
	}
	s.oneOf("format", "dense", "dense")
	o.err = firstError(o.err, s.err)
}

// only refuses fields that are not in the list: their meaning is not known.
func (o *object) only(known ...string) {
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !slices.Contains(known, name) {
			o.refuse(name, "a field that is not known")
			return
		}
	}
}

// ignoreList answers whether a layer is in the ignore field: by name, or by a pattern
// after "re:" that matches from its start, as Python's re.match does.
type ignoreList struct {
	names    []string
	patterns []*regexp.Regexp
}

// Limits of the patterns in an ignore list: compiled they take much more memory than written.
const (
	maxPatterns     = 1000
	maxPatternBytes = 16 << 10 // of all of them
)

// newIgnoreList leaves out patterns that Go cannot read (look-ahead, for example): the
// list serves only to contradict a file, never to understand it.
func newIgnoreList(ignore []string) (l ignoreList, err error) {
	size, count := 0, 0
	for _, s := range ignore {
		pattern, isPattern := strings.CutPrefix(s, "re:")
		if !isPattern {
			l.names = append(l.names, s)
			continue
		}
		size, count = size+len(pattern), count+1
		if size > maxPatternBytes || count > maxPatterns {
			return l, unsupported(configFile, "quantization_config.ignore: at most %d patterns of %d bytes in all expected, found more", maxPatterns, maxPatternBytes)
		}
		if re, err := regexp.Compile("^(?:" + pattern + ")"); err == nil {
			l.patterns = append(l.patterns, re)
		}
	}
	return l, nil
}

func (l ignoreList) has(name string) bool {
	return slices.Contains(l.names, name) ||
		slices.ContainsFunc(l.patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}
