// Package demo holds octet's own tiny model: a Hugging Face directory of
// 2.8 million BF16 parameters, embedded in the binary and used wherever no
// other model is named. testdata/README.md says how it was made.
package demo

import "embed"

// FS is the model directory.
//
//go:embed *.json *.jinja *.safetensors
var FS embed.FS
