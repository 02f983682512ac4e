package rule

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mediadesk/api"
)

// CheckSourceURL returns an error unless text is an address from which a service can download
// (service.md §4.1, file): http or https, with a host. A service would decode anything else as
// base64 and store garbage. The error is a *api.RuleError.
func CheckSourceURL(text string) error { return checkAddress("file", text) }

// CheckWebhookURL returns an error unless text is an address to which a service can post
// (service.md §4.1, webhookUrl). The error is a *api.RuleError.
func CheckWebhookURL(text string) error { return checkAddress(FieldWebhook, text) }

func checkAddress(field, text string) error {
	u, err := url.Parse(text)
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
	if isWeb && !strings.ContainsAny(text, " \t\r\n") {
		return nil
	}
	if text == "" {
		return broken(field, field+" has no URL", "Type one, or leave it out.")
	}
	return broken(field, field+" "+api.Quote(api.Clip(text, 80))+" is not an http or https URL",
		"Write the complete URL, such as https://example.com/photo.jpg.")
}

// IsFileAddress reports whether a word begins like a file: address.
func IsFileAddress(word string) bool { return strings.EqualFold(word[:min(6, len(word))], "file:/") }

// PathOfAddress returns the path of a file: address, and false if it is not on this computer.
func PathOfAddress(address string) (string, bool) {
	if !IsFileAddress(address) {
		return "", false
	}
	rest := address[len("file:"):]
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, path, _ := strings.Cut(after, "/")
		known, _ := os.Hostname() // some terminals include it in dropped addresses
		if host != "" && !strings.EqualFold(host, "localhost") && !strings.EqualFold(host, known) {
			return "", false
		}
		rest = "/" + path
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsRune(path, 0) {
		return "", false
	}
	if filepath.Separator == '\\' {
		path = strings.TrimPrefix(path, "/") // file:///C:/x
	}
	return filepath.Clean(filepath.FromSlash(path)), true
}

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

// CheckPurgeURL checks an address to purge. The error is a *api.RuleError.
func CheckPurgeURL(address string) error {
	if u, err := url.Parse(address); err == nil && CheckSourceURL(address) == nil && u.Path != "" {
		before, after, found := strings.Cut(u.Path, "*")
		narrow := len(before) > 15 || strings.Count(before, "/") > 2 || path.Ext(before) != ""
		if !found || after == "" && narrow {
			return nil
		}
	}
	return broken("url", "The URL is not valid for cache purging.",
		"Send the url of a record. It may end in * after two folder levels, 15 characters or a file name.")
}

// PurgeURL returns the address that purges the URL of a record. It ends in * to include
// transformations in the query, if the service accepts that.
func PurgeURL(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if all := address + "*"; CheckPurgeURL(all) == nil {
		return all
	}
	return address
}
