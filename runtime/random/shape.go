package random

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"octet/loader"
)

// ErrShape is wrapped where a shape is not what Config expects.
var ErrShape = errors.New("random: shape")

// The files are config.json of published models: TinyLlama-1.1B and Meta-Llama-3-8B.
//
//go:embed *.json
var known embed.FS

// Shapes returns the names of the shapes that are known, sorted.
func Shapes() []string {
	files, err := fs.Glob(known, "*.json")
	if err != nil {
		panic(err)
	}
	for i, name := range files {
		files[i] = strings.TrimSuffix(name, ".json")
	}
	return files
}

// layersMark begins the part of a shape that says how many layers of it are wanted.
const layersMark = ",layers="

// Config returns the configuration of a shape: the name of a known one, or the path of a
// config.json or of a directory that holds one. ",layers=N" at its end leaves N layers of
// the model. How the model's weights are quantized is not part of the shape.
//
// The error names the shape, and wraps ErrShape or one of loader.ParseConfig.
func Config(shape string) (loader.Config, error) {
	name, layers, err := cutLayers(shape)
	if err != nil {
		return loader.Config{}, err
	}
	b, err := readShape(name)
	if err != nil {
		return loader.Config{}, err
	}
	if b, err = edit(b, layers); err != nil {
		return loader.Config{}, fmt.Errorf("%w %q: %w", ErrShape, shape, err)
	}
	config, err := loader.ParseConfig(b)
	if err != nil {
		return config, fmt.Errorf("random: shape %q: %w", shape, err)
	}
	return config, nil
}

// cutLayers takes the number of layers off a shape; 0 where it has none.
func cutLayers(shape string) (name string, layers int, err error) {
	i := strings.LastIndex(shape, layersMark)
	if i < 0 {
		return shape, 0, nil
	}
	layers, err = strconv.Atoi(shape[i+len(layersMark):])
	if err != nil || layers < 1 {
		return "", 0, fmt.Errorf("%w %q: a number of layers from 1 expected, found %q", ErrShape, shape, shape[i+len(layersMark):])
	}
	return shape[:i], layers, nil
}

// maxConfig is more bytes than any config.json has.
const maxConfig = 4 << 20

// readShape reads the config.json of a shape.
func readShape(name string) ([]byte, error) {
	if slices.Contains(Shapes(), name) {
		return known.ReadFile(name + ".json")
	}
	path := name
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		path = filepath.Join(name, "config.json")
	}
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its other end
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("a regular file expected, found %v", info.Mode().Type())
	}
	if err != nil {
		return nil, fmt.Errorf("%w %q: %s or the path of a config.json expected: %w", ErrShape, name, strings.Join(Shapes(), ", "), err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxConfig))
}

// perLayer are the fields that are lists with an entry for each layer.
var perLayer = []string{"layer_types", "no_rope_layers", "mlp_layer_types"}

// edit takes the quantization out of a config.json and cuts the model to the layers wanted,
// if that is not 0.
func edit(b []byte, layers int) ([]byte, error) {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, fmt.Errorf("a JSON object expected: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("one JSON object expected, found more after it")
	}
	delete(fields, "quantization_config")
	if layers > 0 {
		if err := cut(fields, layers); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}

func cut(fields map[string]any, layers int) error {
	const field = "num_hidden_layers"
	n, _ := fields[field].(json.Number)
	if all, err := n.Int64(); err != nil || int64(layers) > all {
		return fmt.Errorf("layers: at most %s = %v expected, found %d", field, fields[field], layers)
	}
	fields[field] = layers
	for _, name := range perLayer {
		if list, ok := fields[name].([]any); ok {
			fields[name] = list[:min(len(list), layers)]
		}
	}
	return nil
}
