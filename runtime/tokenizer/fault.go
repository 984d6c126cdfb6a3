package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// jsonFault says in words of JSON what encoding/json says in those of Go.
func jsonFault(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("JSON expected, at its byte %d: %v", syntax.Offset, syntax)
	case errors.As(err, &kind):
		where := ""
		if kind.Field != "" {
			where = kind.Field + ": "
		}
		return fmt.Sprintf("%s%s expected, found %.60s", where, wantedJSON(kind.Type), withArticle(kind.Value))
	}
	return "JSON of another form expected"
}

// wantedJSON names the JSON that a Go type is read from.
func wantedJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Pointer:
		return wantedJSON(t.Elem())
	}
	return "an object"
}

// withArticle is the name that encoding/json has for a kind of value, which a number may follow.
func withArticle(value string) string {
	switch {
	case value == "array":
		return "a list"
	case value == "object":
		return "an object"
	case value == "bool":
		return "true or false"
	case strings.HasPrefix(value, "number "):
		return "the " + value
	}
	return "a " + value
}

// foundJSON names what text begins with, where an object was expected.
func foundJSON(text []byte) string {
	if len(text) == 0 {
		return "nothing"
	}
	switch c := text[0]; {
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case c > ' ' && c < 0x7F:
		return fmt.Sprintf("%.20q", text)
	default:
		return fmt.Sprintf("byte 0x%02X", c)
	}
}
