package config

import (
	"fmt"
	"io"
	"strings"
)

// SecretVariable is the environment variable with the secret for webhook signatures.
const SecretVariable = "MEDIADESK_WEBHOOK_SECRET"

// WebhookSecrets returns the secrets with which a profile's service may sign webhooks: from the profile's file,
// one per line, otherwise from SecretVariable, separated by spaces. There are several while a secret is being
// replaced. No secrets and no error means that webhooks are not signed, as with the local library.
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

// maxSecrets is the maximum number of bytes to read from a file with webhook secrets.
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
