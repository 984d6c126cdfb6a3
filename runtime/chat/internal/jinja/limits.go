package jinja

import (
	"fmt"
	"strings"
)

// Limits of one template and one rendering.
const (
	MaxSource = 1 << 20 // bytes of a template
	MaxOutput = 1 << 20 // bytes of a rendered text

	maxText    = 4 << 20 // bytes of a string on the way
	maxRange   = 100000  // elements of range, as in Jinja's sandbox
	maxNesting = 250     // of expressions and statements in a template
	maxDepth   = 200     // of macros calling macros
	maxData    = 200     // of values in values
	budget     = 1 << 27 // for a rendering: see charge
	stepCost   = 16      // of evaluating one expression or statement
	elemCost   = 8       // of touching one element of a list
)

// Error says what is wrong with a template, or what the template itself found wrong.
type Error struct {
	Line    int    // in the template; 0: unknown
	Kind    string // Python's name: "TypeError", "UndefinedError", …; "" for raise_exception
	Message string
}

func (e *Error) Error() string {
	if e.Kind == "" {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Kind, e.Message)
}

// Kinds of errors.
const (
	syntaxError    = "TemplateSyntaxError"
	typeError      = "TypeError"
	valueError     = "ValueError"
	undefinedError = "UndefinedError"
	securityError  = "SecurityError"
	overflowError  = "OverflowError"
	runtimeError   = "TemplateRuntimeError"
	limitError     = "limit" // of this package
	unsupported    = "not supported"
)

// fail ends the rendering.
func (r *renderer) fail(kind, format string, args ...any) {
	panic(&Error{Line: r.line, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// recovered turns a panic into an error. Others than *Error are bugs of this package,
// which must not end the program of somebody who opened a strange model.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		*err = fmt.Errorf("the template engine failed: %v", r)
	}
}

// charge takes the cost of work and of memory from the budget: about one unit for eight bytes.
func (r *renderer) charge(n int) {
	r.budget -= n
	if r.budget < 0 {
		r.fail(limitError, "the template takes too many steps")
	}
}

// built charges for a new string and returns it.
func (r *renderer) built(s string) string {
	r.room(len(s))
	return s
}

// grow appends to a string that is being built.
func (r *renderer) grow(b *strings.Builder, s string) {
	if b.Len()+len(s) > maxText {
		r.tooLong()
	}
	r.charge(len(s)/8 + 1)
	b.WriteString(s)
}

func (r *renderer) tooLong() { r.fail(limitError, "a string of more than %d bytes", maxText) }

// read charges for looking through s.
func (r *renderer) read(s string) { r.charge(len(s) / 16) }

// room charges for a string of n bytes before it is made.
func (r *renderer) room(n int) {
	if n > maxText {
		r.tooLong()
	}
	r.charge(n/8 + 1)
}

// nested counts the depth of data while it is walked.
func (r *renderer) nested(depth int) {
	if depth > maxData {
		r.fail(limitError, "values nested deeper than %d", maxData)
	}
	r.charge(elemCost)
}
