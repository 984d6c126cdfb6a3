"""Renders small templates with Jinja2 in the environment of transformers' apply_chat_template.

    python3 make_vectors.py > vectors.json      (Jinja2 3.1.6)

Each line of a group is a template of its own; "\\n" in it is a newline. Every template sees the
variables of CONTEXT. What raises is written down as Python's kind of error and its message.
"""
import datetime
import json
import sys

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

CONTEXT = {
    "s": "Hello, World", "empty": "", "blank": " \t a b  c \n", "uni": "Straße ÀÉ 日本 😀 'q' \"d\"",
    "lines": "one\ntwo\r\n\nfour", "num": "42", "html": "<a href='x'>&amp;</a>",
    "i": 7, "neg": -3, "zero": 0, "f": 2.5, "whole": 3.0, "tiny": 1e-7, "big": 1e16, "t": True, "n": None,
    "list": [3, 1, 2], "words": ["b", "A", "c", "a"], "nested": [[1, 2], [3, [4]]], "none_list": [],
    "mixed": [1, "a", None, 2.0, True, [1], {"k": "v"}],
    "d": {"b": 1, "a": [1, 2], "items": "shadow", "c": {"x": None}}, "nodict": {},
    "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}, {"role": "assistant", "content": "A", "n": 1}],
    "html_list": ["<b>", "&"],
}

GROUPS = {
    "text": r"""
plain
a\n
a\n\n
{{ s }}\n
 {{ s }} \n x
{# c #}x
x{# c #}\ny
x {#- c -#} y
  {# indented #}\ny
a\n  {% if t %}\n  b\n  {% endif %}\nc
a\n  {%- if t -%}\n  b\n  {%- endif -%}\nc
a\n  {%+ if t %}b{% endif +%}\nc
a {% if t %} b {% endif %} c
  {{ s }}
a\n  {{- s -}}  \nb
{% if t -%}   x   {%- endif %}
{% raw %}{{ s }}{% endraw %}
{% raw %}\n  {% x %}\n{% endraw %}\nz
a\n  {%- raw -%}\n  {{ x }}\n  {%- endraw -%}\n b
{% if t %}\n\nx{% endif %}
{{ "}}" }}{{ '%}' }}
{{ {'a': {'b': 1}}['a']['b'] }}
{{ "a\\nb\\t\\x41\\u00e9\\\\\\'\\q" }}
{{ 'it''s' 'x' }}
{{ 'a' "b" }}
{% set x = 1 %}{% if x %}a{% endif %}\n{% if not x %}b{% endif %}\nc
\tx{% if t %}\n\t\t{{ s }}\n\t{% endif %}\n
a{% if t %}\t \n{% endif %}b
{#- a -#}\n\n x
{%- if t %}x{% endif -%}
  {%- if t %}x{% endif -%}
x\r\n{% if t %}\r\ny\r\n{% endif %}\r\nz
{{ 1 }}{{ 2 }} {{ 3 -}} {{ 4 }}
{# a\n#}  {% if t %}x{% endif %}
{{ s }}  {% if t %}x{% endif %}
{% if t %}  {% if t %}x{% endif %}{% endif %}
{% print s, 1 %}
{{ 1, 2 }}
{{ (1,) }}
{{ () }}
{{ "日本" }}{{ 'é' }}
{{-1}}
{{ -1}}
{{+1}}
{{ s -}}x
""",
    "literals": r"""
{{ none }}|{{ None }}|{{ true }}|{{ False }}
{{ 1_000 }} {{ 0x1f }} {{ 0b11 }} {{ 0o17 }} {{ 1.50 }} {{ 1e3 }} {{ 1.5e-7 }} {{ 2E2 }}
{{ 1e16 }} {{ 123456789012345.0 }} {{ 0.0001 }} {{ 0.00001 }} {{ 1e22 }} {{ 1e100 }}
{{ 0.1 + 0.2 }} {{ 1 / 3 }} {{ 100.0 }} {{ -0.0 }}
{{ [1, 'a', "b'c", None, True, 1.0, [], {}] }}
{{ {'a': 1, 'b': [1], 3: none, none: 1} }}
{{ {1: 'a', 1.0: 'b', true: 'c'} }}
{{ (1, 'x') }} {{ (1,) }} {{ [] }} {{ {} }}
{{ ['\\n\\t\\\\', 'é', '\\x00\\x7f', '\\u200b\\ud7ff', '"', "'", "'\\""] }}
{{ mixed }}
{{ d }}
{{ uni }}
{{ [uni] }}
{{ 12345678901234567890 }}
{{ [1,2,] }} {{ {'a':1,} }} {{ (1,2,) }}
{{ 1.e }}
{{ 08 }}
""",
    "arithmetic": r"""
{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 // -2 }} {{ 7.5 // 2 }} {{ -7.5 // 2 }}
{{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7.5 % 2 }} {{ -7.5 % 2 }}
{{ 7 / 2 }} {{ 6 / 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }}
{{ 1 + 2 * 3 - 4 }} {{ (1 + 2) * 3 }} {{ 1 + 2.0 }} {{ true + 1 }} {{ true + true }}
{{ 'a' + 'b' }} {{ 'ab' * 3 }} {{ 3 * 'ab' }} {{ 'ab' * -1 }} {{ [1] * 2 }} {{ [1] + [2] }}
{{ 'a' ~ 1 ~ none ~ true ~ 1.5 ~ missing ~ [1] }}
{{ 1 ~ 2 + 3 ~ 4 }}
{{ 'a' + 1 }}
{{ 1 + 'a' }}
{{ 'a' + none }}
{{ none + 'a' }}
{{ [1] + (2,) }}
{{ (1,) + (2,) }}
{{ 'a' - 'b' }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ 1.0 // 0 }}
{{ missing + 1 }}
{{ 'x' + missing }}
{{ -none }}
{{ -'a' }}
{{ -true }} {{ +true }} {{ -2.5 }} {{ - - 1 }}
{{ {'a':1} + {} }}
{{ '%s is %d and %5.2f|%-5s|%05d|%x|%%' % ('a', 3, 2.5, 'l', 42, 255) }}
{{ '%s' % 'one' }} {{ '%r' % 'one' }} {{ '%s' % [1] }} {{ '%s' % none }}
{{ '%d' % 'a' }}
{{ '%s %s' % 'a' }}
{{ 'a' % 'b' }}
{{ '%s|' % missing }} {{ 'a' % [] }} {{ 'a' % {} }}
{{ 1e16 // -3 }} {{ -7.5 // 2.5 }} {{ 1 // 0.1 }} {{ 1 % 0.1 }}
{{ 2 * 3.0 }} {{ 9 - 4.5 }} {{ 1e308 * 10 }}
{{ 'a' * 2.0 }}
""",
    "compare": r"""
{{ 1 == 1.0 }} {{ 1 == true }} {{ '1' == 1 }} {{ none == none }} {{ none == false }} {{ [] == [] }} {{ [1, 2] == [1, 2.0] }} {{ (1,) == [1] }}
{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }} {{ {'a': 1} == {'a': 2} }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 3 > 2 >= 2 != 1 }} {{ 1 < 2 > 0 }}
{{ 'a' < 'b' }} {{ 'Z' < 'a' }} {{ 'é' > 'z' }} {{ [1, 2] < [1, 3] }} {{ [1] < [1, 0] }} {{ (1, 2) < (2,) }}
{{ 1 < 'a' }}
{{ none < 1 }}
{{ [] < () }}
{{ missing < 1 }}
{{ missing == missing }} {{ missing == none }} {{ missing == '' }} {{ missing != 1 }}
{{ 'ell' in s }} {{ 'x' in s }} {{ '' in '' }} {{ 1 in list }} {{ 9 in list }} {{ 'a' in d }} {{ 'z' not in d }} {{ 1.0 in list }} {{ true in list }}
{{ 1 in 'a' }}
{{ 1 in none }}
{{ 1 in 5 }}
{{ 1 in missing }} {{ 'a' in missing }}
{{ missing in 'abc' }}
{{ none in [none] }} {{ missing in [1] }}
{{ [1] in {} }}
{{ not 1 }} {{ not '' }} {{ not not 5 }} {{ not none }} {{ not missing }}
{{ 1 and 2 }} {{ 0 and 2 }} {{ 0 or 'x' }} {{ 'a' or 'b' }} {{ none or [] }} {{ 1 or missing.x }}
{{ not 1 == 2 }} {{ not 'a' in 'abc' }} {{ 1 if 0 else 2 if 0 else 3 }}
{{ 'a' if false }}|
{{ ('a' if false) + 'b' }}
{{ 1 if true or false and false }}
{{ 1 == 1 and 2 == 2 or x }}
{{ range(3) == range(0, 3) }} {{ 2 in range(3) }}
{{ true is true }} {{ 1 == 1 is true }}
{{ 5 not in [1] and 1 in [1] }}
""",
    "access": r"""
{{ s[0] }} {{ s[-1] }} {{ s[1:4] }} {{ s[:-1] }} {{ s[::-1] }} {{ s[::2] }} {{ s[-3:] }} {{ s[10:2] }} {{ s[5:1:-1] }}
{{ uni[4] }} {{ uni[10:12] }} {{ uni[-1] }}
{{ list[0] }} {{ list[-1] }} {{ list[-3] }} {{ list[1:] }} {{ list[:1] }} {{ list[::-1] }} {{ list[:] }} {{ list[5:] }} {{ list[-2:] }} {{ list[-10:10] }}
{{ list[3] }}|{{ list[-4] }}|{{ s[99] }}|{{ list['a'] }}|{{ list.foo }}|{{ d.zz }}|{{ d['zz'] }}
{{ list[3].x }}
{{ list[3]['x'] }}
{{ d.zz.y }}
{{ none.x }}|{{ none['x'] }}|{{ n.x }}
{{ none.x.y }}
{{ missing.x }}
{{ missing[0] }}
{{ missing['a'] }}
{{ missing() }}
{{ n() }}
{{ s() }}
{{ d.a }} {{ d['a'] }} {{ d.a[1] }} {{ d.a.1 }} {{ d['c'].x }} {{ d.b }} {{ d['items'] }}
{{ nested[1][1][0] }} {{ nested.1.1.0 }} {{ nested[0][-1] }}
{{ list[true] }} {{ list[1.0] }}|
{{ list[none] }}|
{{ d[[1]] }}|
{{ d[1] }}|
{{ s[1:none] }} {{ s[none:3] }}
{{ s['a':] }}
{{ list[::0] }}
{{ 5[0] }}|{{ 5.x }}|
{{ messages[0].role }}{{ messages[-1]['content'] }}{{ messages[1:][0].role }}
{{ messages[9].role }}
{{ messages[0].missing }}|{{ messages[0]['missing'] }}|
{{ (1, 2, 3)[1:] }} {{ (1,2)[0] }}
{{ d.__class__ }}|
{{ d.__class__.x }}
{{ s.__class__() }}
{{ list.append }}|
{{ list.append(1) }}
{{ d.update({}) }}
{{ d.pop('a') }}
{{ d.items()[0] }}|
{{ range(5)[1] }} {{ range(5)[-1] }} {{ range(2, 10, 3) }} {{ range(3) }} {{ range(3)[9] }}|
{{ 'abc'.1 }}
{{ x.y is defined }}
{{ n[1:] }}|
{{ d[1:] }}
{{ i[1:] }}
{{ missing[1:] }}
""",
    "methods": r"""
{{ '  a '.strip() }}|{{ '  a '.lstrip() }}|{{ '  a '.rstrip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'abcba'.strip('ab') }}|{{ '\n a\n'.strip('\n') }}|{{ blank.strip() }}
{{ 'a,b,,c'.split(',') }} {{ 'a b  c '.split() }} {{ 'a b c'.split(' ', 1) }} {{ 'a b c'.split(maxsplit=1) }} {{ ''.split() }} {{ ''.split(',') }} {{ '  a  b c '.split(none, 1) }}
{{ 'a,b,c'.rsplit(',', 1) }} {{ 'a b c'.rsplit(none, 1) }} {{ 'a b c'.rsplit() }} {{ ' a  b '.rsplit(none, 1) }} {{ 'a,b'.rsplit(',') }}
{{ 'a'.split('') }}
{{ lines.splitlines() }} {{ lines.splitlines(true) }} {{ ''.splitlines() }} {{ 'a\n'.splitlines() }} {{ '\n'.splitlines() }}
{{ 'abc'.startswith('ab') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('bc') }} {{ 'abc'.startswith('b', 1) }} {{ 'abc'.endswith('') }}
{{ 'abc'.startswith(1) }}
{{ s.upper() }} {{ s.lower() }} {{ 'hello world-x they\'re'.title() }} {{ 'hELLO wORLD'.capitalize() }} {{ 'aBc'.swapcase() }} {{ uni.upper() }} {{ uni.lower() }}
{{ 'a-b-c'.replace('-', '+') }} {{ 'a-b-c'.replace('-', '+', 1) }} {{ 'abc'.replace('', '.') }} {{ 'aaa'.replace('aa', 'b') }}
{{ 'a'.replace('a', 1) }}
{{ 'hello'.find('l') }} {{ 'hello'.rfind('l') }} {{ 'hello'.find('z') }} {{ 'hello'.index('e') }} {{ 'hello'.count('l') }} {{ uni.find('日') }}
{{ 'Straße'.swapcase() }}
{{ 'hello'.index('z') }}
{{ ', '.join(['a', 'b']) }} {{ ''.join([]) }} {{ '-'.join('abc') }} {{ ','.join({'a': 1, 'b': 2}) }}
{{ ', '.join([1]) }}
{{ '12'.isdigit() }} {{ ''.isdigit() }} {{ 'a1'.isalnum() }} {{ 'ab'.isalpha() }} {{ ' '.isspace() }} {{ 'AB'.isupper() }} {{ 'ab'.islower() }} {{ '1'.isupper() }} {{ 'aB'.islower() }} {{ '5'.isnumeric() }} {{ '5'.isdecimal() }}
{{ 'ab'.center(7) }}|{{ 'ab'.center(6, '*') }}|{{ 'abc'.center(6, '*') }}|{{ 'ab'.ljust(4) }}|{{ 'ab'.rjust(4, '.') }}|{{ '42'.zfill(5) }}|{{ '-42'.zfill(5) }}
{{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ 'abc'.partition('=') }} {{ 'abc'.rpartition('=') }}
{{ 'prefix-x'.removeprefix('prefix-') }} {{ 'x.txt'.removesuffix('.txt') }} {{ 'x'.removeprefix('y') }}
{{ '{} {}'.format(1, 'a') }} {{ '{1}{0}'.format('a', 'b') }} {{ '{x}'.format(x=5) }} {{ '{{}}'.format() }} {{ '{:>5}|{:<5}|{:^5}|{:05d}|{:.2f}|{:,}'.format('a', 'b', 'c', 42, 3.14159, 1234567) }} {{ '{:*^7}'.format('mid') }} {{ '{:5}|{:5}'.format('a', 1) }} {{ '{:+d} {:x}'.format(5, 255) }}
{{ '{}'.format() }}
{{ d.get('a') }} {{ d.get('zz') }} {{ d.get('zz', 'def') }}
{{ d.get('b', default=1) }}
{{ d.get('zz', 5) }} {{ nodict.get('a', {}).get('b', 'c') }}
{{ d.keys() }} {{ d.values() }} {{ {'a': 1}.items() }} {{ d.keys() | list }} {{ d.items() | list }}
{{ d.keys() | length }} {{ 'b' in d.keys() }} {{ 1 in d.values() }} {{ d.items() | first }}
{{ d.copy() }} {{ list.copy() }} {{ list.count(1) }} {{ list.index(2) }} {{ (1, 2, 1).count(1) }}
{{ list.index(9) }}
{{ d.get() }}
{{ 'a'.nosuch }}|{{ 'a'.nosuch is defined }}
{{ 'a'.nosuch() }}
{{ d.nosuch() }}
{{ i.nosuch }}|
{{ s.upper(1) }}
""",
    "filters": r"""
{{ s | upper }} {{ s | lower }} {{ 'hello wORLD' | capitalize }} {{ 'hello wORLD foo-bar (x)' | title }} {{ none | upper }} {{ 5 | lower }}
{{ blank | trim }}| {{ 'xax' | trim('x') }} {{ none | trim }} {{ missing | trim }}|
{{ list | length }} {{ s | length }} {{ uni | length }} {{ d | count }} {{ missing | length }}
{{ 5 | length }}
{{ none | length }}
{{ missing | default('x') }} {{ none | default('x') }} {{ none | default('x', true) }} {{ '' | d('e', boolean=true) }} {{ 0 | default(1) }} {{ missing | default }}| {{ d.zz | default([]) }}
{{ list | join }} {{ list | join(', ') }} {{ words | join(d='-') }} {{ messages | join(',', attribute='role') }} {{ 'abc' | join('.') }} {{ [none, 1, 'a'] | join('|') }} {{ none_list | join(',') }}| {{ missing | join }}|
{{ 5 | join }}
{{ list | first }} {{ list | last }} {{ s | first }} {{ s | last }} {{ none_list | first }}| {{ d | first }} {{ none_list | last }}|
{{ (none_list | first).x }}
{{ list | sort }} {{ words | sort }} {{ words | sort(case_sensitive=true) }} {{ list | sort(reverse=true) }} {{ messages | sort(attribute='role') | map(attribute='role') | list }}
{{ [1, 'a'] | sort }}
{{ list | reverse | list }} {{ s | reverse }} {{ words | unique | list }} {{ [1, 1.0, true, 2] | unique | list }}
{{ list | min }} {{ list | max }} {{ words | min }} {{ words | max }} {{ none_list | max }}| {{ messages | max(attribute='role') }}
{{ list | sum }} {{ [1.5, 2] | sum }} {{ [[1], [2]] | sum(start=[]) }} {{ [{'a': 1}, {'a': 2}] | sum(attribute='a') }} {{ none_list | sum }}
{{ words | sum }}
{{ 'abc' | list }} {{ d | list }} {{ (1, 2) | list }} {{ range(3) | list }}
{{ 5 | list }}
{{ none | list }}
{{ d | dictsort }} {{ {'b': 1, 'A': 2} | dictsort }} {{ {'b': 1, 'A': 2} | dictsort(true) }} {{ {'b': 1, 'A': 2} | dictsort(by='value') }} {{ {'b': 1, 'A': 2} | dictsort(reverse=true) }}
{{ d | items | list }} {{ missing | items | list }}
{{ 5 | items | list }}
{{ messages | map(attribute='role') | list }} {{ messages | map(attribute='n') | list }} {{ messages | map(attribute='n', default=0) | list }} {{ words | map('upper') | list }} {{ words | map('replace', 'a', 'x') | list }} {{ nested | map(attribute='1') | list }} {{ nested | map(attribute=0) | list }}
{{ messages | map('nosuch') | list }}
{{ messages | selectattr('role', 'equalto', 'user') | list }} {{ messages | selectattr('n') | list }} {{ messages | selectattr('n', 'defined') | map(attribute='n') | list }} {{ messages | rejectattr('role', 'eq', 'user') | map(attribute='role') | join(',') }} {{ messages | selectattr('role', 'in', ['user', 'system']) | list | length }}
{{ mixed | select | list }} {{ mixed | reject | list }} {{ mixed | select('string') | list }} {{ list | select('>', 1) | list }} {{ list | reject('odd') | list }} {{ mixed | select('number') | list }}
{{ (list | map('string')) | length }}
{{ (list | select) | tojson }}
{% set g = list | select %}{{ g | list }}{{ g | list }}
{% set g = list | map('string') %}{% if g %}yes{% endif %}{{ g | first }}{{ g | join }}
{{ (list | select)[0] }}|
{{ list | select | last }}
{{ '42' | int }} {{ ' 42 ' | int }} {{ '4.7' | int }} {{ 'x' | int }} {{ 'x' | int(5) }} {{ 2.9 | int }} {{ -2.9 | int }} {{ true | int }} {{ none | int }} {{ 'ff' | int(base=16) }} {{ '1_000' | int }} {{ list | int }} {{ '' | int }} {{ '1e3' | int }}
{{ missing | int }}
{{ '4.5' | float }} {{ 'x' | float }} {{ 3 | float }} {{ '1e3' | float }} {{ none | float }} {{ 'x' | float(1.5) }} {{ ' 2 ' | float }}
{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 3 | round }} {{ 2.1 | round(0, 'ceil') }} {{ 2.9 | round(method='floor') }} {{ 1.25 | round(1) }} {{ 3 | round(2, 'floor') }}
{{ -5 | abs }} {{ 2.5 | abs }} {{ true | abs }}
{{ 'a' | abs }}
{{ 5 | string + 'x' }} {{ none | string }} {{ [1] | string }} {{ 1.0 | string }}
{{ html | e }} {{ html | safe }} {{ (html | safe) + '<' }} {{ '<' + (html | safe) }} {{ (html | safe) ~ '<' }} {{ html | escape | safe }} {{ (html | e) | length }} {{ html_list | map('e') | join }}
{{ 'a b' | urlencode }} {{ 'a/é?=&' | urlencode }}
{{ 'a-b-c' | replace('-', '+') }} {{ 'aaa' | replace('a', 'b', 2) }} {{ 123 | replace(2, 'x') }} {{ none | replace('None', 'n') }}
{{ lines | indent }}| {{ lines | indent(2, true) }}| {{ lines | indent('>', blank=true) }}| {{ '' | indent }}| {{ 'a\n' | indent(2) }}|
{{ 'one two three four five' | truncate(10) }} {{ 'one two three four five' | truncate(10, true) }} {{ 'one two' | truncate(5) }} {{ 'one two three four five' | truncate(9, false, '.', 0) }} {{ 'onetwothreefour' | truncate(6, leeway=0) }}
{{ 'a b_c d-e' | wordcount }} {{ 'ab' | center(6) }}| {{ '%s-%s' | format('a', 1) }}
{{ list | batch(2) | list }} {{ list | batch(2, 'x') | list }} {{ [1,2,3,4,5] | slice(2) | list }} {{ [1,2,3,4,5] | slice(3, 'x') | list }}
{{ d | attr('a') }}|{{ s | attr('nosuch') }}|
{% for k, v in messages | groupby('role') %}{{ k }}={{ v | length }} {% endfor %}
{{ words | map('upper') | sort | join }} {{ words|map('length')|sum }}
{{ 5 | truncate(5) }}
{{ none | indent }}
{{ 'a' | nosuch }}
{% if false %}{{ 'a' | nosuch }}{% endif %}ok
{% if true %}{{ 'a' | nosuch }}{% endif %}
{{ 'a' | nosuch if false else 'b' }}
{% for x in [] %}{{ x | nosuch }}{% endfor %}
{% if false %}{% for x in [] %}{{ x | nosuch }}{% endfor %}{% endif %}
{{ s | upper | lower | title }} {{ -1 | abs }} {{ (-1) | abs }} {{ 'a' ~ 'b' | upper }} {{ ('a' ~ 'b') | upper }} {{ 1 + 2 | string | length }}
{{ s | upper() }} {{ s | trim | length > 3 }} {{ not s | length }}
{% filter upper %}a{{ s }}{% endfilter %}
{% filter trim | replace('a', 'b') %}  aa  {% endfilter %}|
""",
    "json": r"""
{{ d | tojson }}
{{ mixed | tojson }}
{{ d | tojson(indent=2) }}
{{ d | tojson(2) }}
{{ mixed | tojson(indent=4) }}
{{ {'a': []} | tojson(indent=2) }}
{{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}
{{ d | tojson(separators=(',', ':')) }}
{{ d | tojson(indent=2, separators=(',', ': ')) }}
{{ uni | tojson }} {{ uni | tojson(ensure_ascii=true) }} {{ html | tojson }} {{ lines | tojson }} {{ '\\x00\\x1f\\x7f\\u2028' | tojson }}
{{ [1.0, 1e100, 1e-7, 0.1, -0.0, 100000000000000000.0] | tojson }}
{{ none | tojson }} {{ true | tojson }} {{ 'a"\\\\' | tojson }} {{ (1, 2) | tojson }} {{ {} | tojson }} {{ [] | tojson }} {{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}
{{ missing | tojson }}
{{ d.items() | tojson }}
{{ [missing] | tojson }}
{{ range(3) | tojson }}
{{ {'a': {'b': {'c': [1, {'d': 2}]}}} | tojson(indent=1) }}
{{ d | tojson(indent=none) }} {{ [1, [2]] | tojson(indent=0) }} {{ [1] | tojson(indent='--') }}
{{ {(1, 2): 3} | tojson }}
""",
    "tests": r"""
{{ s is defined }} {{ missing is defined }} {{ missing is undefined }} {{ n is defined }} {{ d.zz is defined }} {{ d.zz is not defined }}
{{ n is none }} {{ s is none }} {{ s is not none }} {{ missing is none }}
{{ s is string }} {{ 5 is string }} {{ (s | safe) is string }}
{{ d is mapping }} {{ list is mapping }} {{ missing is mapping }}
{{ list is sequence }} {{ s is sequence }} {{ d is sequence }} {{ 5 is sequence }} {{ none is sequence }} {{ missing is sequence }} {{ range(3) is sequence }} {{ d.keys() is sequence }} {{ (list | select) is sequence }} {{ (1,) is sequence }}
{{ list is iterable }} {{ s is iterable }} {{ d is iterable }} {{ 5 is iterable }} {{ none is iterable }} {{ missing is iterable }} {{ (list | select) is iterable }} {{ d.items() is iterable }}
{{ 5 is number }} {{ true is number }} {{ 1.5 is number }} {{ 's' is number }} {{ 5 is integer }} {{ true is integer }} {{ 1.0 is integer }} {{ 1.0 is float }} {{ 1 is float }}
{{ true is boolean }} {{ 1 is boolean }} {{ true is true }} {{ 1 is true }} {{ false is false }} {{ 0 is false }} {{ n is false }}
{{ 3 is odd }} {{ 3 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }}
{{ 'a' is odd }}
{{ 'abc' is lower }} {{ 'ABC' is upper }} {{ 'aBC' is upper }}
{{ 1 is eq 1 }} {{ 1 is equalto(2) }} {{ 1 is ne 2 }} {{ 1 is lt 2 }} {{ 2 is ge 2 }} {{ 3 is gt 2 }} {{ 3 is le 2 }} {{ 1 is in [1, 2] }} {{ 'a' is in 'abc' }} {{ 3 is not in [1] }}
{{ range is callable }} {{ s is callable }} {{ missing is callable }} {{ s.upper is callable }}
{{ none is sameas none }} {{ true is sameas true }} {{ true is sameas false }}
{{ s is filter }} {{ 'upper' is filter }} {{ 'odd' is test }} {{ 'zz' is test }} {{ (s | e) is escaped }} {{ s is escaped }}
{{ s is nosuch }}
{% if false %}{{ s is nosuch }}{% endif %}ok
{{ not s is defined }} {{ s is defined and n is none }} {{ 1 + 1 is odd }} {{ s is string or x }}
{{ 'a' is string is string }}
{{ list is defined and list | length > 2 }}
{{ s is string if true else 1 }}
{{ (s is string) if true else 1 }}
""",
    "statements": r"""
{% if n %}a{% elif zero %}b{% else %}c{% endif %}
{% if missing %}a{% endif %}{% if not missing %}b{% endif %}
{% for x in list %}{{ x }},{% endfor %}
{% for x in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }};{% endfor %}
{% for x in list %}{{ loop.previtem }}|{{ loop.nextitem }};{% endfor %}
{% for x in list %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{% endfor %}
{% for x in list %}{{ loop.cycle('a', 'b') }}{% endfor %}
{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}
{% for k in d %}{{ k }}{% endfor %}
{% for a, b in [[1, 2], (3, 4)] %}{{ a }}{{ b }}{% endfor %}
{% for (a, b), c in [((1, 2), 3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for a, b in [1] %}{% endfor %}
{% for a, b in [[1]] %}{% endfor %}
{% for a, b in [[1, 2, 3]] %}{% endfor %}
{% for c in 'aé😀' %}{{ c }}.{% endfor %}
{% for x in missing %}a{% else %}none{% endfor %}
{% for x in none %}a{% endfor %}
{% for x in 5 %}a{% endfor %}
{% for x in [] %}a{% else %}b{% endfor %}
{% for x in list if x > 1 %}{{ x }}{{ loop.index }}{{ loop.last }}{% else %}no{% endfor %}
{% for x in list if x > 9 %}{{ x }}{% else %}no{% endfor %}
{% for x in list %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}
{% for x in list %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% else %}e{% endfor %}
{% for x in list %}{% for y in list %}{% if y == 1 %}{% break %}{% endif %}{{ x }}{{ y }}{{ loop.index }}{% endfor %}{{ loop.index }};{% endfor %}
{% break %}
{% for x in nested recursive %}{% if x is iterable %}[{{ loop(x) }}]{% else %}{{ x }}{{ loop.depth }}{% endif %}{% endfor %}
{% for x in list %}{{ loop(x) }}{% endfor %}
{% set x = 1 %}{% for y in list %}{% set x = y %}{{ x }}{% endfor %}{{ x }}
{% set x = 1 %}{% for y in list %}{{ x }}{% set x = y %}{{ x }};{% endfor %}{{ x }}
{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}
{% for y in list %}{% if y == 1 %}{% set z = 5 %}{% endif %}{{ z }},{% endfor %}
{% set ns = namespace(a=1) %}{% for y in list %}{% set ns.a = ns.a + y %}{% endfor %}{{ ns.a }}
{% set ns = namespace() %}{{ ns.x }}|{% set ns.x = 2 %}{{ ns.x }}{{ ns['x'] }}
{% set ns = namespace({'k': 1}, j=2) %}{{ ns.k }}{{ ns.j }}
{% set ns = 5 %}{% set ns.x = 1 %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}
{% set a = 1, 2 %}{{ a }}
{% set (a, b) = [3, 4] %}{{ a }}{{ b }}
{% set x %}a{{ s }}{% endset %}{{ x | upper }}{{ x is string }}
{% set x | upper | trim %} a{{ s }} {% endset %}{{ x }}|
{% set x %}{% set y = 1 %}{% endset %}{{ y is defined }}
{% macro m(a, b=2, c=none) %}{{ a }}{{ b }}{{ c }};{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(b=5, a=4) }}{{ m() }}{{ m(1, c='x') }}
{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}{{ m(none) }}
{% macro m(a) %}{{ a.x }}{% endmacro %}{{ m() }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(z=1) }}
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, z=4) }}{{ m() }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}
{% macro m(n) %}{% if n > 0 %}{{ n }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(4) }}
{% set x = 1 %}{% macro m() %}{{ x }}{% set x = 5 %}{{ x }}{% endmacro %}{{ m() }}{{ x }}{% set x = 2 %}{{ m() }}
{% macro m() %}{{ loop }}{% endmacro %}{% for x in [1] %}{{ m() }}{% endfor %}
{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in{{ s }}{% endcall %}
{% macro m(x) %}<{{ caller(x, 2) }}>{% endmacro %}{% call(a, b) m(1) %}{{ a }}{{ b }}{% endcall %}
{% macro m() %}x{% endmacro %}{% call m() %}{% endcall %}
{% macro m() %}{{ caller }}{% endmacro %}{{ m() }}|
{% macro m() %} a {% endmacro %}{{ m() | trim }}{{ m().strip() }}{{ m() ~ 'x' }}{{ (m() + 'b') | length }}
{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q is defined }}
{% with a = 1, b = s %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}
{% with a = 1, b = a %}{{ b }}{% endwith %}|
{% generation %}a{% set gg = 1 %}{{ s }}{% endgeneration %}{{ gg is defined }}
{% generation %}\n  x\n{% endgeneration %}\ny
{{ raise_exception('my message') }}
{{ raise_exception(5) }}
{{ strftime_now('%Y-%m-%d %d %b %Y %B %A %a %H:%M:%S %I %p %j %y %% %e %-d %-m %F %T %D %c %f') }}
{{ range(5) | list }} {{ range(1, 4) | list }} {{ range(5, 0, -2) | list }} {{ range(0) | list }} {{ range(3, 1) | list }}
{{ range(200000) }}
{{ range(1, 2, 0) }}
{{ range() }}
{{ range('a') }}
{{ dict(a=1, b=2) }} {{ dict({'x': 1}, y=2) }} {{ dict([['k', 'v']]) }}
{% set j = joiner(', ') %}{% for x in list %}{{ j() }}{{ x }}{% endfor %}
{{ namespace(a=1).a }}
{% for x in [1, 2] %}{% set outer = loop %}{% for y in [3, 4] %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}
{% if true: %}a{% endif %}
{% for x in list: %}a{% endfor %}
{% if (1, 2) %}a{% endif %}{% if 1, %}b{% endif %}
{% for x in 1, 2 %}{{ x }}{% endfor %}
{% for x in range(3) if x %}{{ x }}{% endfor %}
{% set loop = 5 %}{{ loop }}
{% if s == 'Hello, World' and i == 7 %}ok{% endif %}
{{ m(1) }}{% macro m(a) %}{{ a }}{% endmacro %}
{% if false %}{% macro q() %}1{% endmacro %}{% endif %}{{ q is defined }}
{% for m in messages %}{% if loop.first and m.role == 'system' %}[{{ m.content }}]{% elif not loop.last %}{{ m.role }}:{{ m.content }};{% else %}{{ m['content'] }}{% endif %}{% endfor %}
{% set messages = messages[1:] %}{{ messages | length }}{{ messages[0].role }}
{% set x = s if s is string else '' %}{{ x }}
{% set f = s.upper %}{{ f() }}
{% set y = [] %}{% set y = y + [1] %}{{ y }}
{{ [1, 2] | map('string') | list + ['x'] }}
""",
    "syntax": r"""
{{ }}
{{ 1 + }}
{% if %}{% endif %}
{% if 1 %}
{% endif %}
{% foo %}
{% for x %}{% endfor %}
{{ 'a }}
{{ (1 }}
{{ [1 }}
{{ {1 } }}
{# x
{{ x
{% raw %}x
{{ 1 2 }}
{{ a.%}
{{ a | }}
{{ a is }}
{% set 1 = 2 %}
{% set none = 2 %}
{% macro m(a=1, b) %}{% endmacro %}
{{ f(a=1, 2) }}
{{ ) }}
{{ a ! b }}
{{ a & b }}
{% else %}
{% endfor %}
{% if 1 %}{% endfor %}
{{ m(**{'a': 1}) }}
{{ range(*[1, 4]) | list }} {{ dict(**{'a': 1}) }}
{{ dict(**5) }}
{{ range(*5) }}
{{ 'é' }} {{ é }}
{{ $ }}
""",
}


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_run"), [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _run(self, context, caller):
        return caller()


def environment():
    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda f: datetime.datetime(2026, 1, 2, 3, 4, 5).strftime(f)
    return env


def render(env, template):
    try:
        return {"text": env.from_string(template).render(**json.loads(json.dumps(CONTEXT)))}
    except Exception as e:
        return {"error": type(e).__name__, "message": str(e)}


def main():
    env = environment()
    vectors = []
    for group, text in GROUPS.items():
        for line in text.strip("\n").split("\n"):
            # \n, \r, \t outside of {{ }} strings stand for the characters; \\ for one backslash.
            template = line.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t").replace("\0", "\\")
            vectors.append({"group": group, "template": template, **render(env, template)})
    json.dump({"context": CONTEXT, "vectors": vectors}, sys.stdout, indent=1, ensure_ascii=True)
    print()


main()
