package config

import (
	"fmt"
	"io"
	"strings"
)

// SecretVariable is the environment variable with the secret that webhook posts are signed with.
const SecretVariable = "MEDIADESK_WEBHOOK_SECRET"

// WebhookSecrets gives what the service of a profile may sign its webhook posts with: from the profile's
// file, one a line, else from the environment variable SecretVariable, with spaces between them. There is
// more than one while a secret is replaced. None without an error says that posts are not signed. The local
// library signs nothing.
func (k *Keys) WebhookSecrets(p Profile) ([]Secret, error) {
	if p.Kind == KindLocal {
		return nil, nil
	}
	if p.WebhookSecretFile == "" {
		secrets, err := secretsOf(k.getenv(SecretVariable))
		if err != nil {
			return nil, fmt.Errorf("the webhook secret in %s cannot be used: %w", SecretVariable, err)
		}
		return secrets, nil
	}
	path := expandHome(p.WebhookSecretFile)
	secrets, err := readSecrets(path)
	if err != nil {
		return nil, fmt.Errorf("the webhook secret of profile %q in %q cannot be used: %w", p.Name, path, err)
	}
	return secrets, nil
}

// maxSecrets is how much is read of a file with webhook secrets, in bytes.
const maxSecrets = 10 * maxSecret

func readSecrets(path string) ([]Secret, error) {
	file, err := openKeyFile(path, ownerOnly)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecrets+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", cause(err))
	}
	if len(text) > maxSecrets {
		return nil, fmt.Errorf("it has more than %d bytes", maxSecrets)
	}
	secrets, err := secretsOf(string(text))
	if err == nil && len(secrets) == 0 {
		_, err = NewSecret("")
	}
	return secrets, err
}

func secretsOf(text string) ([]Secret, error) {
	var secrets []Secret
	for word := range strings.FieldsSeq(text) {
		secret, err := NewSecret(word)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}
