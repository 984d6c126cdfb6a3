// Package validate measures how far one model is from another, for a model made int8 and
// the float model that it comes from.
//
// [Compare] runs both over the same tokens, in process, and compares the two rows of logits
// of every position: the Kullback-Leibler divergence of the candidate's next-token
// distribution from the reference's, whether both hold the same token for the likeliest,
// and how well each predicts the token that follows (perplexity). The [Report] sums that up;
// [Thresholds] say what is good enough. [English] and [Stories] are texts to measure with.
//
// Tokens are taken in windows that do not overlap, each in an empty session, so that a
// token's context is between nothing and a window. Figures of two runs can be compared if
// text, window and tokenizer are the same.
//
// Distances are computed in float64 from the float32 logits. They do not depend on the
// number of threads; their last bits may on the machine, by package math. Memory is that of
// two sessions, a piece of 64 rows of logits for each, and some 80 bytes a token.
package validate
