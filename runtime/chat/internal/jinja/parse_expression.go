package jinja

import "strings"

// expression parses with the lowest precedence: a if b else c.
func (p *parser) expression() expr {
	defer p.sameNesting()()
	p.deeper()
	line, unknown := p.current().line, len(p.unknown)
	e := p.or()
	for p.skipName("if") {
		p.unknown = p.unknown[:unknown] // e may never be evaluated
		p.softly(true, func() {
			c := &conditional{then: e, test: p.or(), line: line}
			if p.skipName("else") {
				c.other = p.expression()
			}
			e = c
		})
		p.deeper()
	}
	return e
}

// tuple parses one expression by element, or several with commas between them.
func (p *parser) tuple(element func() expr, mayBeEmpty bool) expr {
	if mayBeEmpty && p.tupleEnds() {
		return &tupleExpr{}
	}
	first := element()
	if !p.isOp(",") {
		return first
	}
	items := []expr{first}
	for p.skipOp(",") {
		if p.tupleEnds() {
			break
		}
		items = append(items, element())
	}
	return &tupleExpr{items}
}

func (p *parser) tupleEnds() bool {
	kind := p.current().kind
	return kind == tokenVarEnd || kind == tokenBlockEnd || p.isOp(")") || p.isName("recursive")
}

func (p *parser) or() expr {
	defer p.sameNesting()()
	left := p.and()
	for p.skipName("or") {
		left = &logical{op: "or", left: left, right: p.and()}
		p.deeper()
	}
	return left
}

func (p *parser) and() expr {
	defer p.sameNesting()()
	left := p.not()
	for p.skipName("and") {
		left = &logical{op: "and", left: left, right: p.not()}
		p.deeper()
	}
	return left
}

func (p *parser) not() expr {
	line := p.current().line
	if p.skipName("not") {
		defer p.deeper()()
		return &unary{op: "not", term: p.not(), line: line}
	}
	return p.compare()
}

func (p *parser) compare() expr {
	c := &comparison{first: p.sum(), line: p.current().line}
	for {
		t := p.current()
		op := ""
		switch {
		case t.kind == tokenOperator && (t.text == "==" || t.text == "!=" || t.text == "<" ||
			t.text == "<=" || t.text == ">" || t.text == ">="):
			op = t.text
			p.next()
		case p.skipName("in"):
			op = "in"
		case p.isName("not") && p.tokens[p.pos+1].kind == tokenName && p.tokens[p.pos+1].text == "in":
			op = "not in"
			p.pos += 2
		}
		if op == "" {
			break
		}
		c.ops, c.terms = append(c.ops, op), append(c.terms, p.sum())
	}
	if len(c.ops) == 0 {
		return c.first
	}
	return c
}

// binaryOf parses terms with the operators ops between them, from the left.
func (p *parser) binaryOf(term func() expr, ops ...string) expr {
	defer p.sameNesting()()
	left := term()
	for {
		t := p.current()
		found := false
		for _, op := range ops {
			found = found || t.kind == tokenOperator && t.text == op
		}
		if !found {
			return left
		}
		p.next()
		left = &binary{op: t.text, left: left, right: term(), line: t.line}
		p.deeper()
	}
}

func (p *parser) sum() expr     { return p.binaryOf(p.joined, "+", "-") }
func (p *parser) product() expr { return p.binaryOf(p.power, "*", "/", "//", "%") }
func (p *parser) power() expr   { return p.binaryOf(func() expr { return p.unary(true) }, "**") }

// joined parses a ~ b, which binds closer than +.
func (p *parser) joined() expr {
	line := p.current().line
	parts := []expr{p.product()}
	for p.skipOp("~") {
		parts = append(parts, p.product())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &concat{parts: parts, line: line}
}

func (p *parser) unary(filters bool) expr {
	defer p.deeper()()
	t := p.current()
	var e expr
	switch {
	case p.skipOp("-"):
		e = &unary{op: "-", term: p.unary(false), line: t.line}
	case p.skipOp("+"):
		e = &unary{op: "+", term: p.unary(false), line: t.line}
	default:
		e = p.primary()
	}
	e = p.postfix(e)
	if filters {
		e = p.filtersAndTests(e)
	}
	return e
}

func (p *parser) primary() expr {
	t := p.next()
	switch t.kind {
	case tokenName:
		return p.nameOrConstant(t)
	case tokenString:
		return &literal{p.neighbours(t)}
	case tokenNumber:
		return &literal{t.value}
	case tokenOperator:
		switch t.text {
		case "(":
			e := p.tuple(p.expression, true)
			p.expectOp(")")
			return e
		case "[":
			return p.list()
		case "{":
			return p.dict()
		}
	}
	if t.kind != tokenEOF {
		p.pos--
	}
	p.fail("unexpected %s", t)
	return nil
}

// neighbours joins strings that stand side by side, as Python does.
func (p *parser) neighbours(first token) string {
	if p.current().kind != tokenString {
		return first.text
	}
	var b strings.Builder
	b.WriteString(first.text)
	for p.current().kind == tokenString {
		b.WriteString(p.next().text)
	}
	return b.String()
}

func (p *parser) nameOrConstant(t token) expr {
	switch t.text {
	case "true", "True":
		return &literal{true}
	case "false", "False":
		return &literal{false}
	case "none", "None":
		return &literal{nil}
	}
	p.read(t.text)
	return &name{id: t.text, line: t.line}
}

func (p *parser) list() expr {
	l := &listExpr{}
	for !p.isOp("]") {
		l.items = append(l.items, p.expression())
		if !p.isOp("]") {
			p.expectOp(",")
		}
	}
	p.next()
	return l
}

func (p *parser) dict() expr {
	d := &dictExpr{}
	for !p.isOp("}") {
		d.keys = append(d.keys, p.expression())
		p.expectOp(":")
		d.values = append(d.values, p.expression())
		if !p.isOp("}") {
			p.expectOp(",")
		}
	}
	p.next()
	return d
}

// postfix parses attributes, items and calls behind e.
func (p *parser) postfix(e expr) expr {
	defer p.sameNesting()()
	for {
		line := p.current().line
		switch {
		case p.skipOp("."):
			e = p.dotted(e, line)
		case p.skipOp("["):
			e = &item{obj: e, index: p.subscript(), line: line}
		case p.isOp("("):
			e = &call{fn: e, args: p.arguments(), line: line}
		default:
			return e
		}
		p.deeper()
	}
}

func (p *parser) dotted(e expr, line int) expr {
	t := p.next()
	if n, ok := t.value.(int64); ok && t.kind == tokenNumber {
		return &item{obj: e, index: &literal{n}, line: line}
	}
	if t.kind != tokenName {
		p.fail("expected a name or a number after '.', found %s", t)
	}
	return &attribute{obj: e, name: t.text, line: line}
}

// subscript parses what is in brackets, and the closing one.
func (p *parser) subscript() expr {
	first := p.subscribed()
	if !p.isOp(",") {
		p.expectOp("]")
		return first
	}
	items := []expr{first}
	for p.skipOp(",") {
		items = append(items, p.subscribed())
	}
	p.expectOp("]")
	return &tupleExpr{items}
}

// subscribed parses an expression or start:stop:step.
func (p *parser) subscribed() expr {
	s := &slice{}
	if !p.isOp(":") {
		s.start = p.expression()
		if !p.isOp(":") {
			return s.start
		}
	}
	p.next()
	if !p.isOp(":") && !p.isOp("]") && !p.isOp(",") {
		s.stop = p.expression()
	}
	if p.skipOp(":") && !p.isOp("]") && !p.isOp(",") {
		s.step = p.expression()
	}
	return s
}

func (p *parser) arguments() callArgs {
	var a callArgs
	p.expectOp("(")
	for !p.isOp(")") {
		p.argument(&a)
		if !p.isOp(")") {
			p.expectOp(",")
		}
	}
	p.next()
	return a
}

func (p *parser) argument(a *callArgs) {
	next := p.tokens[min(p.pos+1, len(p.tokens)-1)]
	keyword := p.current().kind == tokenName && next.kind == tokenOperator && next.text == "="
	switch {
	case a.starstar != nil:
		p.fail("an argument after **")
	case p.skipOp("**"):
		a.starstar = p.expression()
	case keyword:
		a.kwNames = append(a.kwNames, p.next().text)
		p.next()
		a.kwValues = append(a.kwValues, p.expression())
	case a.star != nil:
		p.fail("an argument after *")
	case p.skipOp("*"):
		a.star = p.expression()
	case len(a.kwNames) > 0:
		p.fail("a positional argument after one with a name")
	default:
		a.pos = append(a.pos, p.expression())
	}
}

// filtersAndTests parses |filter, "is test" and calls behind e.
func (p *parser) filtersAndTests(e expr) expr {
	defer p.sameNesting()()
	for {
		line := p.current().line
		switch {
		case p.skipOp("|"):
			f := p.filter(line)
			f.obj = e
			e = &f
		case p.skipName("is"):
			e = p.test(e, line)
		case p.isOp("("):
			e = &call{fn: e, args: p.arguments(), line: line}
		default:
			return e
		}
		p.deeper()
	}
}

// filter parses a filter's name and arguments.
func (p *parser) filter(line int) filtered {
	f := filtered{name: p.expectName(), line: line}
	if filters[f.name] == nil {
		p.missing("filter", f.name)
	}
	if p.isOp("(") {
		f.args = p.arguments()
	}
	return f
}

// filterChain parses the filters of a block, with or without a "|" in front of the first.
func (p *parser) filterChain(inline bool) []filtered {
	var chain []filtered
	for inline || p.skipOp("|") {
		chain = append(chain, p.filter(p.current().line))
		inline = false
	}
	return chain
}

func (p *parser) test(e expr, line int) expr {
	negated := p.skipName("not")
	t := &tested{obj: e, name: p.expectName(), line: line}
	if tests[t.name] == nil {
		p.missing("test", t.name)
	}
	switch {
	case p.isOp("("):
		t.args = p.arguments()
	case p.startsTestArgument():
		t.args.pos = []expr{p.postfix(p.primary())}
	}
	if negated {
		return &unary{op: "not", term: t, line: line}
	}
	return t
}

func (p *parser) startsTestArgument() bool {
	switch t := p.current(); t.kind {
	case tokenString, tokenNumber:
		return true
	case tokenOperator:
		return t.text == "[" || t.text == "{"
	case tokenName:
		if t.text == "is" {
			p.fail("tests cannot be chained with 'is'")
		}
		return t.text != "else" && t.text != "or" && t.text != "and"
	}
	return false
}
