package loader

// RoPE holds the rotary embedding's parameters.
type RoPE struct {
	Type                 string // "default", "linear", "dynamic", "llama3", "yarn"
	Theta                float64
	Factor               float64
	OriginalMaxPositions int     // original_max_position_embeddings
	LowFreqFactor        float64 // llama3
	HighFreqFactor       float64 // llama3
	BetaFast, BetaSlow   float64 // yarn; 0 where absent
	AttentionFactor      float64 // yarn; 0 where absent
	MScale, MScaleAllDim float64 // yarn; 0 where absent
	Truncate             bool    // yarn; true where absent
	Interleaved          bool    // pairs (2i, 2i+1), as in llama2.c; otherwise (i, i+d/2)
}

// readRoPE reads rope_parameters (transformers 5), or rope_theta and rope_scaling (4).
// As in transformers' modeling_rope_utils.py, rope_scaling wins where both are there,
// and a rope_theta inside of either wins over one beside it.
//
// A family that is not known keeps a zero RoPE where its parameters are not of a kind
// known here: one set for each type of layer, for example.
func (c *Config) readRoPE(o *object, f family) error {
	top := o.strict()
	p := top.sub("rope_scaling")
	if p == nil || len(p.fields) == 0 {
		p = top.sub("rope_parameters")
	}
	if p == nil {
		p = &object{file: o.file}
	}
	r := c.parseRoPE(top, p, f)
	err := firstError(top.err, p.err)
	if err == nil {
		c.RoPE = r
		return nil
	}
	if f.known {
		return err
	}
	return nil
}

// parseRoPE reads the parameters p, within or beside which (in top) rope_theta lies.
// An error is left in one of the two.
func (c *Config) parseRoPE(top, p *object, f family) RoPE {
	r := RoPE{
		Type:  p.text("rope_type", p.text("type", "default")),
		Theta: p.number("rope_theta", top.number("rope_theta", f.ropeTheta)),
	}
	if r.Theta <= 0 && f.known {
		p.fail("rope_theta", "a number above 0 expected, found %v", r.Theta)
	}
	refusePartial(top)
	refusePartial(p)
	refusePerLayer(p)
	switch r.Type {
	case "default":
	case "linear", "dynamic":
		r.Factor = p.positive("factor")
	case "llama3":
		c.readLlama3(top, p, &r)
	case "yarn":
		c.readYarn(top, p, &r)
	default:
		p.refuse(typeField(p), "default, linear, dynamic, llama3 or yarn expected, found %s", quote(r.Type))
	}
	return r
}

// readLlama3 reads the parameters of RoPE type llama3.
func (c *Config) readLlama3(top, p *object, r *RoPE) {
	r.Factor = p.positive("factor")
	r.LowFreqFactor = p.positive("low_freq_factor")
	r.HighFreqFactor = p.positive("high_freq_factor")
	r.OriginalMaxPositions = c.originalMaxPositions(top, p)
	if r.HighFreqFactor <= r.LowFreqFactor {
		p.fail("high_freq_factor", "more than low_freq_factor = %v expected, found %v", r.LowFreqFactor, r.HighFreqFactor)
	}
}

// readYarn reads the parameters of RoPE type yarn. A factor that is given counts, as in
// transformers 5 (4 divided the two maximum positions instead, where both were there);
// one that is null is that quotient.
func (c *Config) readYarn(top, p *object, r *RoPE) {
	r.OriginalMaxPositions = c.originalMaxPositions(top, p)
	if p.has("factor") {
		r.Factor = p.positive("factor")
	} else if r.OriginalMaxPositions > 0 {
		r.Factor = float64(c.MaxPositions) / float64(r.OriginalMaxPositions)
	}
	r.BetaFast = p.notNegative("beta_fast")
	r.BetaSlow = p.notNegative("beta_slow")
	r.AttentionFactor = p.notNegative("attention_factor")
	r.MScale = p.notNegative("mscale")
	r.MScaleAllDim = p.notNegative("mscale_all_dim")
	r.Truncate = p.flag("truncate", true)
}

// originalMaxPositions is original_max_position_embeddings: beside the parameters (as
// phi3 has it), within them, or max_position_embeddings.
func (c *Config) originalMaxPositions(top, p *object) int {
	const name = "original_max_position_embeddings"
	if top.has(name) {
		return top.size(name, 0)
	}
	if p.has(name) {
		return p.size(name, 0)
	}
	return c.MaxPositions
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// refusePartial refuses a RoPE that turns a part of each head only.
func refusePartial(o *object) {
	const name = "partial_rotary_factor"
	if x := o.number(name, 1); x != 1 {
		o.refuse(name, "1 expected, found %v", x)
	}
}

// refusePerLayer refuses parameters that are nested by type of layer.
func refusePerLayer(p *object) {
	for name, v := range p.fields {
		if _, ok := v.(map[string]any); ok {
			p.refuse(name, "one set of parameters for all layers expected, found an object")
		}
	}
}

// typeField is the field that names the type: rope_type, or type in old files.
func typeField(p *object) string {
	if p.has("rope_type") {
		return "rope_type"
	}
	return "type"
}

// positive is a number above 0 that must be there.
func (o *object) positive(name string) float64 {
	if !o.has(name) {
		o.fail(name, "missing")
		return 0
	}
	x := o.number(name, 0)
	if x <= 0 {
		o.fail(name, "a number above 0 expected, found %v", x)
	}
	return x
}

// notNegative is a number of at least 0; 0 where absent.
func (o *object) notNegative(name string) float64 {
	x := o.number(name, 0)
	if x < 0 {
		o.fail(name, "a number ≥ 0 expected, found %v", x)
	}
	return x
}
