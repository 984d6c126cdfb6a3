package loader

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// object reads the fields of a JSON object. The first field that is not as expected
// sets err, which names it; from then on every read returns zero. A field whose value
// is null counts as absent.
type object struct {
	file    string
	path    string // of the object within the file, with a final dot: "rope_scaling."
	fields  map[string]any
	lenient bool // what is not as expected is zero instead of an error
	err     error
}

// required as the default of a size makes its absence an error.
const required = -1

// fail sets the error of the object, unless there is one.
func (o *object) fail(name, format string, args ...any) {
	if o.err == nil && !o.lenient {
		o.err = damaged(o.file, "%s: "+format, append([]any{o.path + name}, args...)...)
	}
}

// refuse is fail for what may be sound, but is not supported.
func (o *object) refuse(name, format string, args ...any) {
	if o.err == nil && !o.lenient {
		o.err = unsupported(o.file, "%s: "+format, append([]any{o.path + name}, args...)...)
	}
}

// strict is the object as one that is not lenient, without error.
func (o *object) strict() *object {
	return &object{file: o.file, path: o.path, fields: o.fields}
}

// has reports whether the field is there and not null.
func (o *object) has(name string) bool { return o.fields[name] != nil }

// sub is the object in a field; nil where absent.
func (o *object) sub(name string) *object {
	v := o.fields[name]
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		o.fail(name, "an object expected, found %s", show(v))
		return nil
	}
	return &object{file: o.file, path: o.path + name + ".", fields: m, lenient: o.lenient}
}

// text is a string.
func (o *object) text(name, otherwise string) string {
	v := o.fields[name]
	if v == nil {
		return otherwise
	}
	s, ok := v.(string)
	if !ok {
		o.fail(name, "a string expected, found %s", show(v))
	}
	return s
}

// texts is a list of strings; nil where absent.
func (o *object) texts(name string) []string {
	v := o.fields[name]
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	var texts []string
	for _, e := range list {
		s, isText := e.(string)
		ok = ok && isText
		texts = append(texts, s)
	}
	if !ok {
		o.fail(name, "a list of strings expected, found %s", show(v))
		return nil
	}
	return texts
}

// flag is a boolean.
func (o *object) flag(name string, otherwise bool) bool {
	v := o.fields[name]
	if v == nil {
		return otherwise
	}
	b, ok := v.(bool)
	if !ok {
		o.fail(name, "true or false expected, found %s", show(v))
	}
	return b
}

// number is a finite number.
func (o *object) number(name string, otherwise float64) float64 {
	v := o.fields[name]
	if v == nil {
		return otherwise
	}
	x, ok := finite(v)
	if !ok {
		o.fail(name, "a finite number expected, found %s", show(v))
		return 0
	}
	return x
}

// finite is the value of a JSON number, if it has one as a float64.
func finite(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.String(), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// size is a whole number from 1 to maxSize. Absent: the default, or an error where the
// default is required; null: 0 where there is a default.
func (o *object) size(name string, otherwise int) int {
	v, there := o.fields[name]
	switch {
	case otherwise == required && v == nil:
		o.fail(name, "missing")
		return 0
	case !there:
		return otherwise
	case v == nil:
		return 0
	}
	n, ok := whole(v)
	if !ok || n < 1 || n > maxSize {
		o.fail(name, "a whole number from 1 to %d expected, found %s", maxSize, show(v))
		return 0
	}
	return int(n)
}

// whole is the value of a JSON number without fraction or exponent.
func whole(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	return i, err == nil
}

// ids is a token id or a list of them. Absent: the default; null: none.
func (o *object) ids(name string, otherwise []int) []int {
	v, there := o.fields[name]
	if !there {
		return slices.Clone(otherwise)
	}
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var ids []int
	for _, e := range list {
		n, ok := whole(e)
		if !ok || n < 0 || n > maxSize {
			o.fail(name, "token ids expected, found %s", show(v))
			return nil
		}
		ids = append(ids, int(n))
	}
	return ids
}

// dtype is the element type of the model.
func (o *object) dtype() DType {
	name := "dtype"
	if !o.has(name) {
		name = "torch_dtype"
	}
	s := o.text(name, "")
	d, ok := dtypeNames[strings.TrimPrefix(s, "torch.")]
	if !ok {
		o.refuse(name, "float32, bfloat16 or float16 expected, found %s", quote(s))
		return undecided
	}
	return d
}

// show writes a JSON value for a message.
func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "a value that is no JSON"
	}
	if len(b) > maxQuoted {
		return string(b[:maxQuoted]) + "…"
	}
	return string(b)
}

// parseObject decodes the JSON object that is a whole file. Python writes NaN and
// Infinity, which JSON does not know; both are read.
func parseObject(file string, b []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(withoutNaN(b)))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		if err == io.EOF {
			return nil, damaged(file, "a JSON object expected, found nothing")
		}
		return nil, damaged(file, "%w", err)
	}
	if fields == nil {
		return nil, damaged(file, "a JSON object expected, found null")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, damaged(file, "nothing expected after the JSON object")
	}
	return fields, nil
}

// withoutNaN returns b with Python's words for numbers that JSON cannot say replaced,
// outside of strings: Infinity by 1e999, which Python reads as infinity again, and NaN
// by the string "NaN". Neither passes as a number here (see finite).
func withoutNaN(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	var out []byte
	for i := 0; i < len(b); {
		switch rest := b[i:]; {
		case rest[0] == '"':
			n := stringLen(rest)
			out = append(out, rest[:n]...)
			i += n
		case bytes.HasPrefix(rest, []byte("NaN")):
			out = append(out, `"NaN"`...)
			i += len("NaN")
		case bytes.HasPrefix(rest, []byte("Infinity")):
			out = append(out, "1e999"...)
			i += len("Infinity")
		default:
			out = append(out, rest[0])
			i++
		}
	}
	return out
}

// stringLen is the length of the JSON string at the start of b, quotes included.
func stringLen(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
