// Package random makes models of any shape without files: a checkpoint in memory whose
// weights are random. Such a model writes nonsense at the speed of a real one, so that the
// speed and the memory of a model can be known before it is downloaded.
//
// [Config] reads a shape: one of those that are known here by name, or the config.json of
// any model that package runtime supports. [NewPlan] lists its tensors and says how many
// bytes they take; [Plan.Make] makes them. Nothing is allocated before that.
//
// The values repeat after a million bytes or so, and are of a size with which activations stay
// finite through any number of layers.
package random
