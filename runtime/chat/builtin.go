package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// builtinSources are for models whose files have no template. They are in the language of the others,
// so that they can be printed and changed.
var builtinSources = map[string]string{
	// Llama 2's published form, which llama2.c's chat mode uses as well: the system text inside
	// the first turn; each exchange is a sequence of its own, between BOS and EOS.
	"llama2": `
{%- if messages and messages[0]['role'] == 'system' -%}
	{%- set system = '<<SYS>>\n' + messages[0]['content'] + '\n<</SYS>>\n\n' -%}
	{%- set turns = messages[1:] -%}
{%- else -%}
	{%- set system = '' -%}
	{%- set turns = messages -%}
{%- endif -%}
{%- for message in turns -%}
	{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
		{{- raise_exception('llama2: roles must alternate user/assistant, after one system message at most') -}}
	{%- endif -%}
	{%- if message['role'] == 'user' -%}
		{{- bos_token + '[INST] ' + (system if loop.first else '') + message['content'].strip() + ' [/INST]' -}}
	{%- elif message['role'] == 'assistant' -%}
		{{- ' ' + message['content'].strip() + ' ' + eos_token -}}
	{%- else -%}
		{{- raise_exception('llama2: unknown role ' + message['role']) -}}
	{%- endif -%}
{%- endfor -%}`,

	"chatml": `
{%- for message in messages -%}
	{{- '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
	{{- '<|im_start|>assistant\n' -}}
{%- endif -%}`,

	"zephyr": `
{%- for message in messages -%}
	{{- '<|' + message['role'] + '|>\n' + message['content'] + eos_token + '\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
	{{- '<|assistant|>\n' -}}
{%- endif -%}`,
}

// Builtin returns a template by name; see [BuiltinNames].
func Builtin(name string) (*Template, error) {
	source, ok := builtinSources[name]
	if !ok {
		return nil, fmt.Errorf("chat: no built-in template %q, there are %s", name, strings.Join(BuiltinNames(), ", "))
	}
	return Parse(strings.TrimSpace(source))
}

// BuiltinNames lists the templates that come with the package, sorted:
//
//	chatml: <|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n
//	llama2: <s>[INST] <<SYS>>\nBe terse.\n<</SYS>>\n\nHi [/INST] Hello. </s><s>[INST] …
//	zephyr: <|user|>\nHi</s>\n<|assistant|>\n
//
// "<s>" and "</s>" stand for the BOS and EOS of the request.
func BuiltinNames() []string { return slices.Sorted(maps.Keys(builtinSources)) }
