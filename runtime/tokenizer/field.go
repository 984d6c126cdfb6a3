package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// field is a value in tokenizer.json, with the path to it for messages.
type field struct {
	path  string
	raw   json.RawMessage
	depth int // of components within Sequences
}

// Sequences may hold so many components, and lie within each other so deep.
const (
	maxSequence = 32
	maxDepth    = 8
)

func (f field) null() bool { return len(f.raw) == 0 || bytes.Equal(f.raw, []byte("null")) }

func (f field) errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", f.path, kind, fmt.Sprintf(format, args...))
}

// maxDecoded bounds the values read by encoding/json, which can take many times their size in memory.
// The largest published ones, lists of added tokens, have a little more than 1 MB.
const maxDecoded = 8 << 20

// decode unmarshals the value into v.
func (f field) decode(v any) error {
	if len(f.raw) > maxDecoded {
		return f.errorf(ErrUnsupported, "at most %d bytes expected, found %d", maxDecoded, len(f.raw))
	}
	if err := json.Unmarshal(f.raw, v); err != nil {
		return f.errorf(ErrFormat, "%s", jsonFault(err))
	}
	return nil
}

// kind is the value's "type".
func (f field) kind() (string, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := f.decode(&head); err != nil {
		return "", err
	}
	if head.Type == "" {
		return "", f.errorf(ErrFormat, `no "type"`)
	}
	return head.Type, nil
}

// unknown is the error for a component whose type this package doesn't have.
func (f field) unknown(kind string) error { return f.errorf(ErrUnsupported, "type %q", kind) }

// list returns the components of a Sequence, which are under the given key.
func (f field) list(key string) ([]field, error) {
	var object map[string]json.RawMessage
	if err := f.decode(&object); err != nil {
		return nil, err
	}
	var raws []json.RawMessage
	inner := field{path: f.path + "." + key, raw: object[key], depth: f.depth + 1}
	if inner.null() {
		return nil, inner.errorf(ErrFormat, "a list expected")
	}
	if err := inner.decode(&raws); err != nil {
		return nil, err
	}
	if len(raws) > maxSequence || inner.depth > maxDepth {
		return nil, inner.errorf(ErrUnsupported, "%d components at depth %d, at most %d and %d", len(raws), inner.depth, maxSequence, maxDepth)
	}
	fields := make([]field, len(raws))
	for i, raw := range raws {
		fields[i] = field{path: fmt.Sprintf("%s[%d]", inner.path, i), raw: raw, depth: inner.depth}
	}
	return fields, nil
}

// patternField is {"String": …} or {"Regex": …}.
type patternField struct {
	String, Regex *string
}

// parse returns the pattern, and how many times longer a text gets when content replaces its matches.
func (p patternField) parse(f field, content string) (pattern, int, error) {
	switch {
	case p.String != nil && p.Regex == nil && *p.String != "":
		n := len(*p.String)
		return literal(*p.String), max(1, (len(content)+n-1)/n), nil
	case p.Regex != nil && p.String == nil:
		found, err := compile(*p.Regex)
		if err != nil {
			return nil, 0, fmt.Errorf("%s.pattern: %w", f.path, err)
		}
		return found, 1 + len(content), nil
	}
	return nil, 0, f.errorf(ErrUnsupported, `pattern: {"String": …} or {"Regex": …} expected, not empty`)
}

// grow checks the growth of all components of a file together, so that a hostile file can't blow
// up a short text: at most maxGrowth times, Unicode's own expansions aside.
func (f field) grow(growth int) error {
	if growth > maxGrowth {
		return f.errorf(ErrUnsupported, "makes a text up to %d times longer, at most %d", growth, maxGrowth)
	}
	return nil
}

const maxGrowth = 64
