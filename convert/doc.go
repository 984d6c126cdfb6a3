// Package convert makes int8 checkpoints of float ones: a Hugging Face directory or a
// llama2.c file goes in, a Hugging Face directory in compressed-tensors pack-quantized
// form, or a llama2.c version 2 file, comes out. It is the only writer of checkpoints.
//
// # What is quantized
//
// The linear layers of the transformer blocks become int8 in groups of 32, 64 or 128
// inputs that share a scale. The scale is stored in the element type of the weight it
// belongs to and rounded to it first; the weights are then quantized with the rounded
// scale. Embeddings, norms, biases and lm_head stay as they are. A llama2.c file has
// embeddings and classifier quantized as well, float32 norms and float32 scales.
//
// # How it runs
//
// The source is mapped, never read as a whole. Its matrices go through a fixed number
// of blocks of a few megabytes: all cores quantize the rows of one block while another
// is written, so memory does not grow with the model. Sizes are known beforehand, so
// each file's header is written first, and values and scales of a matrix go to their
// places as they come. On Linux the disk starts with what is written at once, so that the
// sync at the end waits for little. The output is the same bytes for any number of threads.
//
// # What is refused
//
// A model that lacks a tensor that its config calls for, or holds one that no layer
// uses, and a NaN or infinity anywhere in its weights, by the name of the tensor.
//
// # What is left behind
//
// Files are written to a temporary directory within the destination, synced, opened
// once as a check, and renamed; config.json (or the .bin file) comes last. A convert
// that fails or is cancelled removes what it has made. The source is never touched, nor
// is the tokenizer.bin beside it. A process that is killed can leave a directory named
// .octet-*, never a config.json; the next convert into the same place removes it.
//
// The functions are safe for concurrent use, by several processes too. Of several
// converts into one destination at once all but one are refused with ErrDestination:
// a file in the temporary directory is locked as long as its process lives. (Not on
// Solaris, AIX and Plan 9, nor on file systems without locks.)
package convert
