// Package tokenizer turns text into token ids and back, as the tokenizer files of a model say.
package tokenizer
