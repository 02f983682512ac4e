package rule_test

import (
	"testing"

	"mediadesk/api"
	"mediadesk/api/rule"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct{ name, url, kind, markdown, html string }{
		{"a.jpg", "https://h/a.jpg?a=1&b=2", api.KindImage, "![a.jpg](https://h/a.jpg?a=1&b=2)", `<img src="https://h/a.jpg?a=1&amp;b=2" alt="a.jpg">`},
		{`"<b>.pdf`, "https://h/b.pdf", api.KindNonImage, `["<b>.pdf](https://h/b.pdf)`, `<a href="https://h/b.pdf">&#34;&lt;b&gt;.pdf</a>`},
		{`a]b\[.txt`, "https://h/a(1) 2.txt", "", `[a\]b\\\[.txt](https://h/a%281%29%202.txt)`, `<a href="https://h/a(1) 2.txt">a]b\[.txt</a>`},
		{"a\nb", "https://h/<\n>", "", "[a b](https://h/%3C%3E)", "<a href=\"https://h/&lt;\n&gt;\">a\nb</a>"},
		{"c.pdf", "", api.KindNonImage, "", ""},
	} {
		f := &api.File{Name: c.name, URL: c.url, FileType: c.kind}
		if markdown, html := rule.Markdown(f), rule.HTML(f); markdown != c.markdown || html != c.html {
			t.Errorf("%q: %q, want %q, and %q, want %q", c.name, markdown, c.markdown, html, c.html)
		}
	}
}
