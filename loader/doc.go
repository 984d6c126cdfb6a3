// Package loader opens language models as they lie on disk: their configuration and
// their tensors by name. It computes nothing with the values.
//
// # What it opens
//
//   - A Hugging Face directory: config.json (of transformers 4 or 5), optionally
//     generation_config.json, and the weights as model.safetensors or as shards with
//     model.safetensors.index.json. Weights are F32, BF16 or F16.
//   - The same with 8-bit weights in compressed-tensors form, pack-quantized or
//     int-quantized, symmetric, with scales per group or per channel.
//   - A llama2.c .bin file, version 0 (no magic number), 1 or 2 (int8 groups). Its
//     tensors get the names that they have in a Hugging Face directory.
//
// [New] makes a checkpoint of tensors that are in memory already.
//
// [Open] does not judge the architecture: that is for who runs the model. For families
// that it knows it checks the config and fills in transformers' defaults.
//
// # Layout
//
// A file on disk is mapped read-only, not read: opening takes milliseconds whatever the
// size, pages come in as they are touched, and several processes share them. [OpenFS]
// reads whole files into memory instead.
//
// [Tensor].Data is little-endian, row-major and exactly as long as the shape needs. It is
// not aligned: a safetensors header can have any length. Read elements byte by byte.
//
// # Hostile files
//
// Every size, offset and shape is checked before it is used, nothing is allocated in
// proportion to an unchecked number, and what is not understood is refused with an
// error that names file and field: [ErrFormat], [ErrUnsupported], [ErrMissingTensor].
// The values of weights are not looked at: they can be NaN.
//
// # Concurrency
//
// A [Checkpoint] does not change once it is open: any number of goroutines may use it.
// [Checkpoint.Close] ends the life of all its tensors' Data.
//
// # Caveats
//
// A mapped file must not be truncated or overwritten in place while it is open: on most
// systems reading a page that is gone ends the process. Replacing it by a new file of
// the same name does no harm; on Windows the system refuses that until Close.
package loader
