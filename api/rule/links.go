package rule

import (
	"fmt"
	"html"
	"strings"

	"mediadesk/api"
)

// Markdown returns a link to a file, or an image; empty without an address.
func Markdown(f *api.File) string {
	if f.URL == "" {
		return ""
	}
	label := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ", "\r", " ").Replace(f.Name)
	address := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "", "\r", "").Replace(f.URL)
	link := "[" + label + "](" + address + ")"
	if f.IsImage() {
		return "!" + link
	}
	return link
}

// HTML returns an image element, or a link for other files; empty without an address.
func HTML(f *api.File) string {
	address, name := html.EscapeString(f.URL), html.EscapeString(f.Name)
	switch {
	case f.URL == "":
		return ""
	case f.IsImage():
		return fmt.Sprintf(`<img src="%s" alt="%s">`, address, name)
	}
	return fmt.Sprintf(`<a href="%s">%s</a>`, address, name)
}
