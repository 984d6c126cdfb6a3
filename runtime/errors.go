package runtime

import "errors"

var (
	// ErrUnsupported is wrapped where a config asks for what this package does not implement.
	ErrUnsupported = errors.New("runtime: unsupported")
	// ErrContext is wrapped where tokens do not fit into a session's context.
	ErrContext = errors.New("runtime: context full")
	// ErrToken is wrapped where a token id is outside the vocabulary.
	ErrToken = errors.New("runtime: token outside the vocabulary")
	// ErrNotFinite is wrapped where logits are NaN or infinite: the weights are damaged, or too
	// large for float32.
	ErrNotFinite = errors.New("runtime: logits are not finite")
	// ErrSession is wrapped where a saved session is damaged or of another model.
	ErrSession = errors.New("runtime: saved session")
)
