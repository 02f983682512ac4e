package cli_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// balanced checks that the last output, a PowerShell script, closes all brackets and quotes. It is
// for systems without PowerShell. Usage: balanced
func balanced(ts *testscript.TestScript, _ bool, _ []string) {
	if problem := unbalanced(ts.ReadFile("stdout")); problem != "" {
		ts.Fatalf("%s", problem)
	}
}

// unbalanced returns what a PowerShell script leaves open, or "".
func unbalanced(script string) string {
	closes := map[rune]rune{')': '(', ']': '[', '}': '{'}
	var open []rune
	var quote, before rune
	comment, escaped := false, false
	for _, r := range script {
		switch {
		case comment:
			comment = r != '\n'
		case escaped:
			escaped = false
		case r == '`' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '#' && (before == 0 || before == ' ' || before == '\n' || before == '\t'):
			comment = true
		case r == '(' || r == '[' || r == '{':
			open = append(open, r)
		case closes[r] != 0:
			if len(open) == 0 || open[len(open)-1] != closes[r] {
				return "there is a " + string(r) + " too many"
			}
			open = open[:len(open)-1]
		}
		before = r
	}
	switch {
	case quote != 0:
		return "the quote " + string(quote) + " is not closed"
	case len(open) > 0:
		return "the " + string(open[len(open)-1]) + " is not closed"
	}
	return ""
}

func TestUnbalanced(t *testing.T) {
	for script, ok := range map[string]bool{
		"": true, "{ (a[1]) } # )": true, "'a`' + \"`\"(\"": true, "'it''s ('": true,
		"{": false, ")": false, "(]": false, "'a": false, "\"a`\"": false, "a#b)": false,
	} {
		if problem := unbalanced(script); (problem == "") != ok {
			t.Errorf("%q: %q", script, problem)
		}
	}
}
