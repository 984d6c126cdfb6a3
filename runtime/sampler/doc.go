// Package sampler picks the next token from a model's logits.
//
// The steps, in the order in which transformers (and llama.cpp, for the penalties) takes them:
//
//  1. logit bias, added;
//  2. repetition penalty, then frequency and presence penalty, on the tokens seen;
//  3. temperature: 0 ends here with the largest logit, first of equals;
//  4. top-k, top-p, min-p, each on the distribution that the one before left;
//  5. one draw.
//
// # One result everywhere
//
// The same logits, options and seed give the same tokens on every machine and instruction
// set: weights are eˣ of internal/vec in float32, x = (logit - largest) / temperature with the
// quotient as a float64 product with 1/temperature. Sums of weights are float64: those of a
// block of 256 tokens in 16 lanes, as internal/vec adds, those of the blocks in order. Random
// numbers come from PCG (math/rand/v2, whose stream Go fixes) with one draw for each call of
// Sample above temperature 0. The draw u in [0, 1) picks the first id, in ascending order, at
// which the sum of the weights kept so far exceeds u times their total: first the block, by
// the sums of blocks, then the id in it.
//
// For top-k the better one of two tokens is that of the larger logit, for top-p that of the
// larger weight. Where these are equal, the smaller id is the better one.
//
// # Cost
//
// Nothing is sorted but samples of what top-k and top-p select from. Every step is one or a
// few passes of vector code over the vocabulary, and what follows top-k sees k tokens.
//
// # Broken logits
//
// NaN counts as -Inf. Tokens with -Inf are never picked, unless all are -Inf: then id 0 is the
// result. With +Inf among the logits the first such id is the result, whatever the options.
//
// # Concurrency
//
// A Sampler belongs to one goroutine. New allocates all that Sample needs.
package sampler
