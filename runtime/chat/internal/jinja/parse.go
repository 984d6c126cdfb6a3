package jinja

import "fmt"

// parser builds the tree. Nesting is limited, since both it and evaluation recurse.
type parser struct {
	tokens  []token
	pos     int
	nesting int
	loops   int         // for statements around, up to the next macro
	macros  []*macroDef // around, innermost last

	// Filters and tests that do not exist are an error of the template, unless they stand in an
	// if: templates ask in this way for what their usual environment adds.
	soft    bool
	unknown []*Error
}

// softly runs parse inside of an if (soft), or of another block.
func (p *parser) softly(soft bool, parse func()) {
	saved := p.soft
	p.soft = soft
	parse()
	p.soft = saved
}

// missing notes a filter or test that does not exist.
func (p *parser) missing(what, name string) {
	if !p.soft {
		p.unknown = append(p.unknown, &Error{p.current().line, syntaxError, noSuch(what, name)})
	}
}

func noSuch(what, name string) string {
	return fmt.Sprintf("no %s named '%s', or it is not supported", what, name)
}

func (p *parser) current() token { return p.tokens[p.pos] }

func (p *parser) fail(format string, args ...any) {
	panic(&Error{Line: p.current().line, Kind: syntaxError, Message: fmt.Sprintf(format, args...)})
}

// next returns the current token and moves on; the last one, EOF, stays.
func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != tokenEOF {
		p.pos++
	}
	return t
}

func (p *parser) isOp(op string) bool {
	t := p.current()
	return t.kind == tokenOperator && t.text == op
}

func (p *parser) isName(names ...string) bool {
	t := p.current()
	if t.kind != tokenName {
		return false
	}
	for _, n := range names {
		if t.text == n {
			return true
		}
	}
	return false
}

func (p *parser) skipOp(op string) bool {
	if p.isOp(op) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) skipName(name string) bool {
	if p.isName(name) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expectOp(op string) {
	if !p.skipOp(op) {
		p.fail("expected '%s', found %s", op, p.current())
	}
}

func (p *parser) expectName() string {
	if p.current().kind != tokenName {
		p.fail("expected a name, found %s", p.current())
	}
	return p.next().text
}

func (p *parser) expect(kind tokenKind) {
	if p.current().kind != kind {
		p.fail("expected %s, found %s", token{kind: kind}, p.current())
	}
	p.next()
}

func (t token) String() string {
	switch t.kind {
	case tokenEOF:
		return "the end of the template"
	case tokenVarEnd:
		return "'}}'"
	case tokenBlockEnd:
		return "'%}'"
	case tokenName, tokenNumber, tokenOperator:
		return "'" + t.text + "'"
	case tokenString:
		return "a string"
	}
	return "a tag"
}

// deeper counts nesting; the returned function counts back.
func (p *parser) deeper() func() {
	p.nesting++
	if p.nesting > maxNesting {
		p.fail("nested deeper than %d", maxNesting)
	}
	return func() { p.nesting-- }
}

// sameNesting returns a function that sets the nesting back to what it is now, for loops that
// call deeper for each link of a chain: evaluation recurses into those as well.
func (p *parser) sameNesting() func() {
	nesting := p.nesting
	return func() { p.nesting = nesting }
}

// body parses up to a tag that begins with one of ends, which it leaves current; without ends up
// to the end of the template.
func (p *parser) body(ends ...string) []stmt {
	defer p.deeper()()
	var list []stmt
	for {
		t := p.current()
		switch t.kind {
		case tokenEOF:
			if len(ends) > 0 {
				p.fail("expected {%% %s %%}, found the end of the template", ends[len(ends)-1])
			}
			return list
		case tokenData:
			p.next()
			list = append(list, &textStmt{t.text})
		case tokenVarBegin:
			p.next()
			list = append(list, &outputStmt{values: []expr{p.tuple(p.expression, false)}, line: t.line})
			p.expect(tokenVarEnd)
		case tokenBlockBegin:
			p.next()
			if p.isName(ends...) {
				return list
			}
			list = append(list, p.statement())
			p.expect(tokenBlockEnd)
		default:
			p.fail("unexpected %s", t)
		}
	}
}

// block parses the body of a statement from the end of its tag to the tag end, of which it reads
// the name.
func (p *parser) block(end string) *block {
	p.endTag()
	var list []stmt
	p.softly(false, func() { list = p.body(end) })
	p.next()
	return &block{list: list}
}

// endTag reads the end of an opening tag, before which Jinja allows a colon.
func (p *parser) endTag() {
	p.skipOp(":")
	p.expect(tokenBlockEnd)
}

func (p *parser) statement() stmt {
	line := p.current().line
	switch tag := p.expectName(); tag {
	case "if":
		var s stmt
		p.softly(true, func() { s = p.ifStatement(line) })
		return s
	case "for":
		return p.forStatement(line)
	case "set":
		return p.setStatement(line)
	case "macro":
		m := &macroDef{name: p.expectName(), line: line}
		p.macro(m, true, "endmacro")
		return &macroStmt{m}
	case "call":
		return p.callStatement(line)
	case "filter":
		filters := p.filterChain(true)
		return &filterStmt{filters: filters, body: p.block("endfilter"), line: line}
	case "with":
		return p.withStatement(line)
	case "generation":
		loops := p.loops
		p.loops = 0
		body := p.block("endgeneration")
		p.loops = loops
		return &scopeStmt{body}
	case "print":
		return p.printStatement(line)
	case "break", "continue":
		if p.loops == 0 {
			p.fail("'%s' outside of a loop", tag)
		}
		if tag == "break" {
			return breakStmt{}
		}
		return continueStmt{}
	case "block", "extends", "include", "import", "from", "autoescape", "do", "trans":
		p.fail("{%% %s %%} is not supported", tag)
	default:
		p.fail("unknown tag '%s'", tag)
	}
	return nil
}

func (p *parser) printStatement(line int) stmt {
	s := &outputStmt{line: line}
	for p.current().kind != tokenBlockEnd {
		if len(s.values) > 0 {
			p.expectOp(",")
		}
		s.values = append(s.values, p.expression())
	}
	return s
}

func (p *parser) ifStatement(line int) stmt {
	s := &ifStmt{line: line}
	for {
		s.tests = append(s.tests, p.tuple(p.or, false))
		p.endTag()
		s.bodies = append(s.bodies, p.body("elif", "else", "endif"))
		switch p.next().text {
		case "elif":
			continue
		case "else":
			p.endTag()
			s.other = p.body("endif")
			p.next()
		}
		return s
	}
}

func (p *parser) forStatement(line int) stmt {
	s := &forStmt{line: line, target: p.targets(false), body: &block{}, other: &block{}}
	if !p.skipName("in") {
		p.fail("expected 'in', found %s", p.current())
	}
	s.iter = p.tuple(p.or, false)
	if p.skipName("if") {
		s.test = p.expression()
	}
	s.recursive = p.skipName("recursive")
	p.endTag()
	p.loops++
	p.softly(false, func() { s.body.list = p.body("else", "endfor") })
	p.loops--
	if p.next().text == "else" {
		s.other = p.block("endfor")
	}
	return s
}

func (p *parser) setStatement(line int) stmt {
	t := p.targets(true)
	if p.skipOp("=") {
		return &setStmt{target: t, value: p.tuple(p.expression, false), line: line}
	}
	filters := p.filterChain(false)
	return &setBlockStmt{target: t, filters: filters, body: p.block("endset"), line: line}
}

// targets parses what comes before "in" or "=": names separated by commas, in parentheses
// or not; with attributes of namespaces where those are allowed.
func (p *parser) targets(attributes bool) target {
	first := p.target(attributes)
	if !p.isOp(",") {
		return first
	}
	list := target{parts: []target{first}}
	for p.skipOp(",") {
		if p.current().kind != tokenName && !p.isOp("(") || p.isName("in") {
			break
		}
		list.parts = append(list.parts, p.target(attributes))
	}
	return list
}

func (p *parser) target(attributes bool) target {
	defer p.deeper()()
	if p.skipOp("(") {
		t := p.targets(attributes)
		p.expectOp(")")
		return t
	}
	switch t := p.expectName(); t {
	case "true", "false", "none", "True", "False", "None":
		p.fail("cannot assign to '%s'", t)
		return target{}
	default:
		if attributes && p.skipOp(".") {
			p.read(t)
			return target{name: t, attr: p.expectName()}
		}
		return target{name: t}
	}
}

// macro parses parameters, where they are, and the body of a macro.
func (p *parser) macro(m *macroDef, params bool, end string) {
	m.used = map[string]bool{}
	if params {
		p.parameters(m)
	}
	loops := p.loops
	p.loops = 0
	p.macros = append(p.macros, m)
	m.body = p.block(end)
	p.macros = p.macros[:len(p.macros)-1]
	p.loops = loops
}

func (p *parser) parameters(m *macroDef) {
	p.expectOp("(")
	for !p.isOp(")") {
		if len(m.params) > 0 {
			p.expectOp(",")
		}
		m.params = append(m.params, p.expectName())
		if p.skipOp("=") {
			m.defaults = append(m.defaults, p.expression())
		} else if len(m.defaults) > 0 {
			p.fail("non-default argument follows default argument")
		}
	}
	p.expectOp(")")
}

// read notes that a name is read, for macros whose calls depend on it.
func (p *parser) read(id string) {
	if len(p.macros) == 0 {
		return
	}
	switch id {
	case "varargs", "kwargs", "caller":
		p.macros[len(p.macros)-1].used[id] = true
	}
}

func (p *parser) callStatement(line int) stmt {
	m := &macroDef{name: "caller", line: line}
	if p.isOp("(") {
		p.parameters(m)
	}
	c, ok := p.expression().(*call)
	if !ok {
		p.fail("expected a call")
	}
	p.macro(m, false, "endcall")
	return &callBlockStmt{caller: m, call: c, line: line}
}

func (p *parser) withStatement(line int) stmt {
	s := &withStmt{line: line}
	for p.current().kind != tokenBlockEnd && !p.isOp(":") {
		if len(s.targets) > 0 {
			p.expectOp(",")
		}
		s.targets = append(s.targets, p.targets(false))
		p.expectOp("=")
		s.values = append(s.values, p.expression())
	}
	s.body = p.block("endwith")
	return s
}
