// Package chat turns a conversation into the text that a model was trained on, by the model's
// own chat template: a Jinja program that comes with its tokenizer.
//
// Templates run in the environment that transformers' apply_chat_template gives them: blocks
// trimmed (trim_blocks, lstrip_blocks), the loop controls, {% generation %}, tojson without
// escaping for HTML, raise_exception and strftime_now. Objects keep the order of their keys,
// numbers print as in Python, so that a rendered prompt is the same text, to the byte.
//
// # Text that comes out
//
// A rendered prompt holds the special tokens as text ("<|im_start|>", "<s>"). It is to be
// tokenized with special tokens recognized and without adding others: the template has put
// the beginning-of-sequence token there if the model wants one.
//
// # Text that goes in
//
// Messages are put into the prompt as they are, as in transformers. Two things follow. The text of a
// special token within a message ("<|im_end|>") becomes that token when the prompt is
// tokenized: who writes a message can end it and begin another in any role. And bytes that are not
// valid UTF-8 do not come through: they become U+FFFD in [ParseRequest], at the latest when the prompt
// is tokenized.
//
// # Templates that mean harm
//
// A template is a program of whoever made the checkpoint. It sees only what it is given, no files
// and no network, and cannot change its arguments. Its output is limited to [MaxOutput] bytes, its
// steps, its nesting and the memory of what it builds are limited too: a template that goes beyond ends
// with an error, in a second or two. Failures of any kind are errors, none a panic.
//
// # Concurrency
//
// A Template may be used by several goroutines at once.
package chat
