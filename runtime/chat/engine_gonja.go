package chat

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/nikolalohinski/gonja/v2"
	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
)

// nowVariable carries the request's time; templates do not know its name.
const nowVariable = "__now"

// program is a template compiled by gonja.
type program struct {
	source   string
	template *exec.Template
}

func compile(source string) (p *program, err error) {
	defer recovered(&err)
	c := config.New()
	c.TrimBlocks, c.LeftStripBlocks = true, true
	loader, err := loaders.NewMemoryLoader(map[string]string{"/chat": source})
	if err != nil {
		return nil, err
	}
	env := *gonja.DefaultEnvironment
	env.Filters = exec.NewFilterSet(map[string]exec.FilterFunction{}).Update(builtins.Filters)
	if err := env.Filters.Replace("tojson", filterJSON); err != nil {
		return nil, err
	}
	t, err := exec.NewTemplate("/chat", c, loader, &env)
	if err != nil {
		return nil, err
	}
	return &program{source: source, template: t}, nil
}

func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the template engine failed: %v", r)
	}
}

func (p *program) render(variables *object) (text string, err error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer recovered(&r.err)
		r.text, r.err = p.run(variables)
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(MaxTime):
		return "", fmt.Errorf("not done after %v", MaxTime)
	}
}

func (p *program) run(variables *object) (string, error) {
	context := exec.EmptyContext()
	for _, key := range variables.keys {
		if key == nowVariable {
			continue
		}
		v, err := gonjaValue(variables.values[key])
		if err != nil {
			return "", err
		}
		context.Set(key, v)
	}
	context.Set("raise_exception", func(message string) (string, error) { return "", errors.New(message) })
	var out limited
	err := p.template.Execute(&out, context)
	return out.String(), err
}

type limited struct{ strings.Builder }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > MaxOutput {
		return 0, fmt.Errorf("more than %d bytes of output", MaxOutput)
	}
	return l.Builder.Write(b)
}

func gonjaValue(v any) (any, error) {
	switch v := v.(type) {
	case int64:
		return int(v), nil
	case *big.Int:
		return nil, fmt.Errorf("integer %v is out of range", v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			e, err := gonjaValue(v[i])
			if err != nil {
				return nil, err
			}
			list[i] = e
		}
		return list, nil
	case *object:
		d := exec.NewDict()
		for _, key := range v.keys {
			e, err := gonjaValue(v.values[key])
			if err != nil {
				return nil, err
			}
			d.Pairs = append(d.Pairs, &exec.Pair{Key: exec.AsValue(key), Value: exec.AsValue(e)})
		}
		return d, nil
	}
	return v, nil
}

func filterJSON(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	return exec.AsValue(errors.New("tojson: not supported yet"))
}
