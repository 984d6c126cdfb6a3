package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	story := " Oscar. He lived in a tiny village"
	for _, c := range []struct {
		name   string
		stdin  string
		args   []string
		code   int
		stdout string // beginning
		stderr string // part
	}{
		{"argument", "", []string{"Once upon a time, there was a little fox named", "-n", "9"}, exitGood, story, "token limit reached"},
		{"stdin", "Once upon a time, there was a little fox named", []string{"-n", "9"}, exitGood, story, "generated 9"},
		{"int8", "Once upon a time, there was a little fox named", []string{"-n", "9", "--quantize", "int8"}, exitGood, story, ""},
		{"empty stdin", "", []string{"-n", "1"}, exitUsage, "", "a prompt is needed"},
		{"empty model", "", []string{"-m", "", "x"}, exitUsage, "", "must not be empty"},
		{"stop", "", []string{"--stop", "village", "Once upon a time, there was a little fox named"}, exitGood, " Oscar. He lived in a tiny \n", "stop text"},
		{"bias", "", []string{"-n", "2", "--logit-bias", "3=1000", "x"}, exitGood, "!!\n", ""},
		{"context", "", []string{"--context", "5", "Once upon a time, there was a little fox"}, exitFailed, "", "context full"},
		{"bad bias", "", []string{"--logit-bias", "x", "y"}, exitUsage, "", "--logit-bias: ID=X expected"},
		{"bad temperature", "", []string{"--temperature", "-1", "y"}, exitUsage, "", "temperature"},
		{"two prompts", "", []string{"a", "b"}, exitUsage, "", "accepts at most 1"},
		{"no model", "", []string{"-m", "no/such", "b"}, exitFailed, "", "no/such"},
	} {
		o := octet(t, c.stdin, append([]string{"run"}, c.args...)...)
		if o.code != c.code || !strings.HasPrefix(o.stdout, c.stdout) || !strings.Contains(o.stderr, c.stderr) {
			t.Errorf("%s: %+v; want exit code %d, stdout %q…, stderr …%q…", c.name, o, c.code, c.stdout, c.stderr)
		}
	}
}

func TestRunJSON(t *testing.T) {
	stdout := good(t, "", "run", "--json", "-n", "5", "Once upon a time")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	text := ""
	for _, line := range lines[:len(lines)-1] {
		var token struct {
			ID   *int    `json:"id"`
			Text *string `json:"text"`
		}
		if err := json.Unmarshal([]byte(line), &token); err != nil || token.ID == nil || token.Text == nil {
			t.Fatalf("%q: %v", line, err)
		}
		text += *token.Text
	}
	var total struct {
		StopReason   string `json:"stop_reason"`
		PromptTokens int    `json:"prompt_tokens"`
		Tokens       int    `json:"tokens"`
	}
	err := json.Unmarshal([]byte(lines[len(lines)-1]), &total)
	if err != nil || total.StopReason != "max_tokens" || total.PromptTokens != 4 || total.Tokens != 5 || text == "" {
		t.Errorf("%v: %+v, text %q", err, total, text)
	}
}
