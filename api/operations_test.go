package api_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

type plainKey string

func (k plainKey) Reveal() string { return string(k) }

// TestSignedURL: the signatures are those of clients of hosted services, computed with openssl:
// printf 'a/b.jpg1700000000' | openssl dgst -sha1 -hmac private_k.
func TestSignedURL(t *testing.T) {
	c, err := api.NewClient(api.Options{
		UploadURL: "https://u.example", BaseURL: "https://b.example", DeliveryURL: "https://d.example/acct/", Key: plainKey("private_k"),
	})
	must(t, err)
	at := time.Unix(1_700_000_000, 0)
	for _, x := range []struct {
		address string
		expires time.Time
		want    string
	}{
		{"https://d.example/acct/a/b.jpg", at, "https://d.example/acct/a/b.jpg?ik-t=1700000000&ik-s=90f62c2be644e1734e3bb1d639aa4f27730a7d82"},
		{"https://d.example/acct/a/b.jpg", time.Time{}, "https://d.example/acct/a/b.jpg?ik-s=0d09eed46a05bf9724ef0b33676e99e1ec33417f"},
		{"https://d.example/acct/a/b.jpg?tr=w-9", at, "https://d.example/acct/a/b.jpg?tr=w-9&ik-t=1700000000&ik-s=0ca12f8d0b582098330e7792da08c09c871d3a9d"},
		{"https://elsewhere.example/a/b.jpg", at, ""},
		{"https://d.example/account/b.jpg", at, ""},
	} {
		got, err := c.SignedURL(x.address, x.expires)
		if (err != nil) != (x.want == "") || got != x.want || strings.Contains(got, "private_k") {
			t.Errorf("%s signed is %q (%v), want %q", x.address, got, err, x.want)
		}
	}
}

// TestIDsAreChecked: no id can change the rest of the request path.
func TestIDsAreChecked(t *testing.T) {
	for _, id := range []string{"", ".", "..", "...", "a\n", "a\u202eb", "\x00", strings.Repeat("a", 300)} {
		for about, request := range map[string]func() api.Request{
			"details":         func() api.Request { return api.ReadDetails(id) },
			"update":          func() api.Request { return api.ChangeDetails(id, api.Details{}) },
			"versions":        func() api.Request { return api.ListVersions(id) },
			"restore of":      func() api.Request { return api.RestoreVersion(id, "1") },
			"restore":         func() api.Request { return api.RestoreVersion("1", id) },
			"deletion":        func() api.Request { return api.DeleteFile(id) },
			"version of":      func() api.Request { return api.DeleteVersion(id, "1") },
			"deleted version": func() api.Request { return api.DeleteVersion("1", id) },
			"purge":           func() api.Request { return api.ReadPurge(id) },
			"folder job":      func() api.Request { return api.ReadFolderJob(id) },
		} {
			var rule *api.RuleError
			if err := request().Err; !errors.As(err, &rule) || rule.Field != "fileId" {
				t.Errorf("%s of %q: %v", about, id, err)
			}
		}
	}
}
