package loader

// Generation is generation_config.json; zero where the file is absent. Fields that it
// does not hold, or that are null, are nil. Values are finite, but not judged.
type Generation struct {
	BOS, EOS          []int
	DoSample          *bool
	Temperature       *float64
	TopK              *int
	TopP, MinP        *float64
	RepetitionPenalty *float64
}

// parseGeneration reads generation_config.json.
func parseGeneration(file string, b []byte) (Generation, error) {
	fields, err := parseObject(file, b)
	if err != nil {
		return Generation{}, err
	}
	o := &object{file: file, fields: fields}
	g := Generation{
		BOS:               o.ids("bos_token_id", nil),
		EOS:               o.ids("eos_token_id", nil),
		Temperature:       o.optional("temperature"),
		TopP:              o.optional("top_p"),
		MinP:              o.optional("min_p"),
		RepetitionPenalty: o.optional("repetition_penalty"),
	}
	if o.has("do_sample") {
		b := o.flag("do_sample", false)
		g.DoSample = &b
	}
	if v := o.fields["top_k"]; v != nil {
		n, ok := whole(v)
		if !ok || n < 0 || n > maxSize {
			o.fail("top_k", "a whole number from 0 to %d expected, found %s", maxSize, show(v))
		}
		k := int(n)
		g.TopK = &k
	}
	return g, o.err
}

// optional is a finite number; nil where absent.
func (o *object) optional(name string) *float64 {
	if !o.has(name) {
		return nil
	}
	x := o.number(name, 0)
	return &x
}
