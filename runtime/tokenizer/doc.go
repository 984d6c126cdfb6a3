// Package tokenizer turns text into token ids and back, exactly as the files of a model say.
//
// Three kinds of file are read: Hugging Face tokenizer.json (BPE, byte-level or with byte
// fallback), SentencePiece tokenizer.model (BPE) and llama2.c tokenizer.bin. What a file asks for
// and this package does not have is refused with the name of the JSON field ([ErrUnsupported]),
// never approximated.
//
// # Encoding
//
// The order is that of the Hugging Face library:
//
//   - added tokens with "normalized": false are cut out of the text, leftmost and then longest first;
//   - each part between them is normalized by itself, and the other added tokens are cut out;
//   - what is left is split by the pre-tokenizers into pieces;
//   - the model (byte pair encoding) turns each piece into ids;
//   - the post-processor puts BOS and EOS around them, where [Tokenizer.Encode] is asked for it.
//
// Merging takes O(n log n) for a piece of n bytes, so a megabyte without a space is no problem.
// Where no token of a vocabulary has a space symbol behind another character, pieces are merged
// word by word, with the same result. A text that is not valid UTF-8 is encoded as if each maximal
// invalid run were U+FFFD, as Python's errors="replace" does it.
//
// Added tokens are found wherever the text has them, as in transformers: "<|im_end|>" typed by a
// user is the control token. Who does not want that must change the text before.
//
// # Decoding
//
// [Tokenizer.Decode] is what the reference libraries give. [Stream] gives the same text as ids
// arrive, in pieces that never split a character. There is one difference: where the decoder is
// ByteFallback, the reference turns a run of byte tokens that is not valid UTF-8 as a whole into
// one U+FFFD a byte. Decode does that; a Stream can't take back the characters of the run that
// were complete before it went wrong, so these stay, and only the other bytes become U+FFFD.
//
// # Layout
//
// A tokenizer is a chain of small parts, each an interface with one type for each "type" of
// tokenizer.json: normalizer (normalize.go), preTokenizer (pretokenize.go, bytelevel.go), model
// (bpe.go), template (template.go) and step, of which decoders are made (decode_steps.go).
// tokenizer.model (spm.go) and tokenizer.bin (llama2c.go) have a model and a decoder of their own in
// the same chain. merge.go merges for all three; added.go finds added tokens.
//
// # Known differences from the libraries
//
//   - Truncation and padding settings in tokenizer.json are ignored, as transformers does unless asked.
//   - Patterns other than those of GPT-2, Llama 3 and Qwen 2 run on a backtracking engine with a
//     time limit for each text ([ErrLimit]) and Go's Unicode tables. What it would read differently than
//     Oniguruma is refused.
//   - A special token is left out of decoded text on request also where normalization changes its
//     spelling.
//   - Added tokens that normalization makes empty are never found.
//   - A tokenizer.model is used as the sentencepiece library does: control symbols such as <s> in
//     the text are plain characters.
//   - An id without a token (a gap in the vocabulary) decodes to nothing.
//
// # Limits
//
// A file has at most 64 MiB and is a regular file, a text has at most 16 MiB. A tokenizer.json that could make a text more than 64
// times longer is refused, so are Sequences of more than 32 parts. What is refused or damaged is an
// error that names the field, never a panic.
//
// A [Tokenizer] is immutable and safe for concurrent use; a [Stream] belongs to one goroutine.
package tokenizer
