package loader

import "embed"

// none is the directory of a checkpoint that has none.
var none embed.FS

// ParseConfig reads the contents of a config.json. The errors wrap ErrFormat or
// ErrUnsupported.
func ParseConfig(b []byte) (Config, error) { return parseConfig(configFile, b) }

// New makes a checkpoint of tensors that lie in memory already, such as Open would find in
// a Hugging Face directory with that config; FS is empty. Both are kept and must not change.
// Errors wrap ErrFormat where a tensor comes twice or has not the bytes that its shape
// needs, or the config does not fit them.
func New(config Config, tensors []Tensor) (*Checkpoint, error) {
	c := &Checkpoint{Format: HuggingFace, Config: config, fsys: none}
	if q := config.Quantization; q != nil {
		own := *q // settle completes it
		c.Config.Quantization = &own
	}
	for _, t := range tensors {
		if err := checkBytes(c.label(), t); err != nil {
			return nil, err
		}
	}
	if err := c.add(tensors); err != nil {
		return nil, err
	}
	c.seal()
	if err := c.settle(); err != nil {
		return nil, err
	}
	return c, nil
}

// checkBytes checks that a tensor holds as many bytes as its type and shape need.
func checkBytes(label string, t Tensor) error {
	e := entry{name: t.Name, Shape: make([]uint64, len(t.Shape))}
	for i, d := range t.Shape {
		e.Shape[i] = uint64(d)
	}
	want, err := byteSize(label, e, t.DType)
	if err == nil && want != uint64(len(t.Data)) {
		err = damaged(label, "tensor %s: %d bytes expected for %s, found %d", quote(t.Name), want, t.describe(), len(t.Data))
	}
	return err
}
