package loader

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	configFile     = "config.json"
	generationFile = "generation_config.json"
	weightsFile    = "model.safetensors"
	indexFile      = "model.safetensors.index.json"

	maxConfig = 4 << 20  // bytes of config.json; real ones have a few thousand
	maxIndex  = 64 << 20 // bytes of the index; 20 MB name all experts of the largest models
)

// openDirectory opens the Hugging Face directory dir.
func (c *Checkpoint) openDirectory(dir files) error {
	c.Format = HuggingFace
	if err := c.openConfig(dir); err != nil {
		return err
	}
	shards, index, err := findShards(dir)
	if err != nil {
		return err
	}
	for _, name := range shards {
		if err := c.openShard(dir, name); err != nil {
			return err
		}
	}
	if err := c.checkIndex(index); err != nil {
		return err
	}
	c.seal()
	return c.settle()
}

// openConfig reads config.json and generation_config.json.
func (c *Checkpoint) openConfig(dir files) error {
	b, err := dir.read(configFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return noConfig(dir)
	}
	if err != nil {
		return err
	}
	if c.Config, err = parseConfig(configFile, b); err != nil {
		return err
	}
	b, err = dir.read(generationFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	c.Generation, err = parseGeneration(generationFile, b)
	return err
}

// noConfig says what a directory without config.json holds instead.
func noConfig(dir files) error {
	names, err := dir.list()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return damaged(configFile, "a model directory expected, found an empty one: %w", fs.ErrNotExist)
	}
	if foreign := foreignWeights(names); foreign != "" {
		return unsupported(foreign, "a Hugging Face directory with config.json and safetensors files is needed")
	}
	return damaged(configFile, "%w", fs.ErrNotExist)
}

// openShard maps one safetensors file and adds its tensors.
func (c *Checkpoint) openShard(dir files, name string) error {
	m, err := dir.open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return damaged(name, "missing, though %s names it: %w", indexFile, fs.ErrNotExist)
		}
		return err
	}
	c.mapped = append(c.mapped, m)
	tensors, err := parseSafetensors(name, m.data)
	if err != nil {
		return err
	}
	return c.add(tensors)
}

// findShards returns the safetensors files that make up the model, sorted, and the
// weight map of the index (tensor → file) where there is one. A model.safetensors wins
// over an index, as in transformers.
func findShards(dir files) (shards []string, index map[string]string, err error) {
	names, err := dir.list()
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(names, weightsFile) {
		return []string{weightsFile}, nil, nil
	}
	if !slices.Contains(names, indexFile) {
		return nil, nil, noWeights(names)
	}
	b, err := dir.read(indexFile, maxIndex)
	if err != nil {
		return nil, nil, err
	}
	return parseIndex(b)
}

// parseIndex reads model.safetensors.index.json.
func parseIndex(b []byte) (shards []string, index map[string]string, err error) {
	var file struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, nil, damaged(indexFile, "%w", err)
	}
	if len(file.WeightMap) == 0 {
		return nil, nil, damaged(indexFile, "weight_map: a file for each tensor expected, found none")
	}
	seen := make(map[string]bool)
	for tensor, shard := range file.WeightMap {
		if seen[shard] {
			continue
		}
		seen[shard] = true
		if !isPlainName(shard) {
			return nil, nil, damaged(indexFile, "weight_map: tensor %s: the name of a .safetensors file beside it expected, found %s",
				quote(tensor), quote(shard))
		}
		shards = append(shards, shard)
	}
	slices.Sort(shards)
	return shards, file.WeightMap, nil
}

// isPlainName reports whether name is that of a safetensors file in the same directory
// on every system: no separators, no drive, no parent.
func isPlainName(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsAny(name, "/\\:\x00") && path.Ext(name) == ".safetensors"
}

// checkIndex checks that every tensor lies where the index says.
func (c *Checkpoint) checkIndex(index map[string]string) error {
	for name, shard := range index {
		t, ok := c.tensors[name]
		if !ok {
			return damaged(shard, "tensor %s is missing, though %s places it there", quote(name), indexFile)
		}
		if t.File != shard {
			return damaged(shard, "tensor %s is in %s, though %s places it there", quote(name), t.File, indexFile)
		}
	}
	return nil
}

// noWeights says what a directory without safetensors weights holds instead.
func noWeights(names []string) error {
	if foreign := foreignWeights(names); foreign != "" {
		return unsupported(foreign, "weights as %s (or shards with %s) are needed", weightsFile, indexFile)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".safetensors") {
			return damaged(indexFile, "missing: %s or an index of shards is needed to read %s", weightsFile, quote(name))
		}
	}
	return damaged(weightsFile, "missing, and no %s either: %w", indexFile, fs.ErrNotExist)
}

// foreignPatterns are weight files in formats that octet does not read.
var foreignPatterns = []string{
	"pytorch_model*.bin", "consolidated.*.pth", "*.gguf", "*.ggml", "*.pth", "*.pt", "*.ckpt",
	"tf_model.h5", "flax_model.msgpack", "*.onnx", "*.npz",
}

// foreignWeights returns the first file whose name is that of such weights.
func foreignWeights(names []string) string {
	for _, pattern := range foreignPatterns {
		for _, name := range names {
			if ok, _ := path.Match(pattern, name); ok {
				return name
			}
		}
	}
	return ""
}
