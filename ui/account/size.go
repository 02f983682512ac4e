package account

import (
	"fmt"
	"strconv"
	"strings"
)

// formatSize formats a limit so that parseSize can read it; 0 is "".
func formatSize(n int64) string {
	switch {
	case n == 0:
		return ""
	case n%1_000_000_000 == 0:
		return strconv.FormatInt(n/1_000_000_000, 10) + " GB"
	case n%1_000_000 == 0:
		return strconv.FormatInt(n/1_000_000, 10) + " MB"
	}
	return strconv.FormatInt(n, 10)
}

// sizeUnits maps unit names to bytes.
var sizeUnits = map[string]int64{
	"": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// parseSize reads a size such as "25 MB" or "25000000"; "" is 0.
func parseSize(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit, known := sizeUnits[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n < 1 || n > (1<<62)/unit {
		return 0, fmt.Errorf("%q is not a size: type one such as 25 MB, or a number of bytes", text)
	}
	return n * unit, nil
}

// splitExtensions splits a list of extension names and JSON objects at the commas between them.
func splitExtensions(text string) []string {
	var list []string
	depth, begin, quoted := 0, 0, false
	add := func(end int) {
		if one := strings.TrimSpace(text[begin:end]); one != "" {
			list = append(list, one)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth <= 0:
			add(i)
			begin = i + 1
		}
	}
	add(len(text))
	return list
}
