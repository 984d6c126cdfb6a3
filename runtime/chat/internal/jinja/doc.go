// Package jinja runs the Jinja templates that language models bring along for their chats, as
// Jinja2's ImmutableSandboxedEnvironment with trim_blocks and lstrip_blocks does.
//
// # What it has
//
// All of Jinja's expressions and statements but template inheritance and includes ({% block %},
// {% extends %}, {% include %}, {% import %}), which need other templates; the loop controls, and
// {% generation %}; the filters, tests, and methods of str, dict and list that can matter in text.
// Values behave as in Python: None prints "None", 1.0 prints "1.0", 'a' + 1 is an error, undefined
// values are empty until something is done with them, map and select give generators, which are
// empty when read again.
//
// What is not there is refused by name, when the template is compiled or where it is used, never
// approximated: a prompt that differs a little from the one a model was trained on would harm
// without being seen.
//
// # Layout
//
// lexer.go and parse*.go make the tree of ast.go; exec.go runs statements and eval.go expressions;
// operators.go, access.go and text.go hold what Python does with values; filters*.go, tests.go,
// methods*.go and globals.go what templates can call.
//
// # Limits
//
// A template is bounded in its nesting, its steps, the text it builds and its output (limits.go), so
// that a hostile one ends with an error in a second or two. Inside the package failures are panics with
// *[Error], as in text/template; Compile and Render return them.
package jinja
