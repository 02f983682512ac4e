package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
)

// TestWebhookSecretsAreReplacedMeanwhile: a secret that is added or replaced while runs are pending
// counts for the next post, and a file that cannot be read keeps the last ones.
func TestWebhookSecretsAreReplacedMeanwhile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secrets")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		must(t, os.WriteFile(file, []byte(text), mode))
		must(t, os.Chmod(file, mode))
	}
	write("whsec_old\n", 0o600)
	used := config.Profile{Name: "p", Kind: "own", WebhookSecretFile: file}
	o := Options{Keys: new(config.Keys), Secrets: new(config.Redactor)}
	var settings config.Config
	settings.Profiles = map[string]config.Profile{
		"p": used, "broken": {Kind: "own", WebhookSecretFile: file + ".none"},
	}
	secrets, err := webhookSecrets(o, settings, used)
	must(t, err)
	sees := func(want ...string) {
		t.Helper()
		if got := secrets("p"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	sees("whsec_old")
	write("whsec_old\nwhsec_new\n", 0o600)
	sees("whsec_old", "whsec_new")
	write("whsec_new\n", 0o600)
	sees("whsec_new")
	must(t, os.Remove(file))
	if got := secrets("p"); len(got) != 1 || got[0] == "whsec_new" {
		t.Errorf("got %q without the file", got)
	}
	mediatest.Equal(t, o.Secrets.String("x whsec_old whsec_new") == "x whsec_old whsec_new", false, "logs show the secrets")
	mediatest.Equal(t, len(secrets("broken")), 1, "secrets for a profile without a readable secret")
	mediatest.Equal(t, secrets("nobody") == nil, true, "an unknown profile has no secrets")
	if _, err := webhookSecrets(o, settings, used); err == nil {
		t.Error("opening a profile without its secret: got no error")
	}
}
