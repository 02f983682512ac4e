package config

import (
	"fmt"
	"strings"
)

// SecretVariable is the environment variable with the secret that webhook posts are signed with.
const SecretVariable = "MEDIADESK_WEBHOOK_SECRET"

// WebhookSecret gives what the service of a profile signs its webhook posts with: from the profile's
// file, else from the environment variable SecretVariable. A zero Secret without an error says that
// posts are not signed. The local library signs nothing.
func (k *Keys) WebhookSecret(p Profile) (Secret, error) {
	if p.Kind == KindLocal {
		return Secret{}, nil
	}
	if p.WebhookSecretFile != "" {
		path := expandHome(p.WebhookSecretFile)
		secret, err := readKeyFile(path, ownerOnly)
		if err != nil {
			return Secret{}, fmt.Errorf("the webhook secret of profile %q in %q cannot be used: %w", p.Name, path, err)
		}
		return secret, nil
	}
	text := k.getenv(SecretVariable)
	if strings.TrimSpace(text) == "" {
		return Secret{}, nil
	}
	secret, err := NewSecret(text)
	if err != nil {
		return Secret{}, fmt.Errorf("the webhook secret in %s cannot be used: %w", SecretVariable, err)
	}
	return secret, nil
}
