package page_test

import (
	"testing"

	"mediadesk/api"
	"mediadesk/ui/page"
)

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, url, kind, want string }{
		{"a.jpg", "https://h/a.jpg", api.KindImage, "![a.jpg](https://h/a.jpg)"},
		{"a.pdf", "https://h/a.pdf", api.KindNonImage, "[a.pdf](https://h/a.pdf)"},
		{`a]b\[.txt`, "https://h/a(1) 2.txt", "", `[a\]b\\\[.txt](https://h/a%281%29%202.txt)`},
		{"a\nb", "https://h/<\n>", "", "[a b](https://h/%3C%3E)"},
	} {
		if got := page.Markdown(&api.File{Name: c.name, URL: c.url, FileType: c.kind}); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
