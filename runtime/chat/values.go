package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"octet/runtime/chat/internal/jinja"
)

// maxDepth limits the nesting of JSON that a request may have.
const maxDepth = 100

// decodeJSON reads one JSON value into nil, bool, int64, *big.Int, float64, string, []any
// and *jinja.Dict.
func decodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more text after the JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("JSON nested deeper than %d", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, unexpectedEnd(err)
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return decodeObject(d, depth)
		}
		return decodeList(d, depth)
	case json.Number:
		return decodeNumber(t)
	default:
		return t, nil
	}
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	o := jinja.NewDict()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, unexpectedEnd(err)
		}
		value, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.Set(key.(string), value) // the decoder accepts no other key
	}
	_, err := d.Token()
	return o, unexpectedEnd(err)
}

func decodeList(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		value, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.Token()
	return list, unexpectedEnd(err)
}

func unexpectedEnd(err error) error {
	if err == io.EOF {
		return errors.New("a JSON value expected, found the end of the text")
	}
	return err
}

// decodeNumber tells Python's int from its float by the spelling, as json.loads does.
func decodeNumber(n json.Number) (any, error) {
	text := n.String()
	if strings.ContainsAny(text, ".eE") {
		f, err := n.Float64()
		if err != nil && !math.IsInf(f, 0) { // 1e999 is inf in Python too
			return nil, err
		}
		return f, nil
	}
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	if len(text) > 4300 { // Python's own limit
		return nil, fmt.Errorf("integer of %d digits", len(text))
	}
	big, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, fmt.Errorf("no number: %s", text)
	}
	return big, nil
}

// normalize turns what a Go program has put into a request into the types of decodeJSON.
// Maps are taken in the order of their keys, anything else as encoding/json writes it.
func normalize(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values nested deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, string, int64, float64, *big.Int:
		return v, nil
	case int:
		return int64(v), nil
	case *jinja.Dict:
		return normalizeDict(v, depth)
	case map[string]any:
		o := jinja.NewDict()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o.Set(key, v[key])
		}
		return normalizeDict(o, depth)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			element, err := normalize(v[i], depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = element
		}
		return list, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decodeJSON(data)
}

func normalizeDict(d *jinja.Dict, depth int) (any, error) {
	out := jinja.NewDict()
	var failed error
	d.Each(func(key string, value any) {
		value, err := normalize(value, depth+1)
		if err != nil && failed == nil {
			failed = err
		}
		out.Set(key, value)
	})
	return out, failed
}
