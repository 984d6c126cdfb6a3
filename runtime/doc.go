// Package runtime runs language models: tensors in, logits and tokens out.
//
// [Load] opens a checkpoint and gives a [Model], which is immutable and can be shared by
// any number of goroutines. A [Session] is one sequence: its key/value cache, its scratch
// memory and the tokens it has seen; it belongs to one goroutine at a time.
// [Session.Eval] appends tokens and returns logits, [Session.Generate] samples from them.
//
// Prefill and decode are the same code: a layer is computed for n tokens, and decode is
// n = 1. Logits do not depend on how a prompt is split into calls of Eval, on the number
// of threads, or on the machine; they are compared with == in the tests. The one exception
// is RoPE of type "dynamic", whose frequencies follow the length of the whole sequence
// once it is longer than max_position_embeddings: there, as in transformers, a key keeps
// the rotation of the call that it came with.
//
// Weights stay mapped in the file where their layout allows. Float weights are kept in
// their stored type and widened in the kernel; norms and biases are widened at load.
// RoPE, RMSNorm, softmax, residuals and attention are float32; the cache too, or halves or
// bytes that are widened when they are read (see [KV]).
package runtime
