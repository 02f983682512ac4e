package upload

import "mediadesk/api/session"

// Commands send the sources as the form has them: one command for those that
// differ in nothing else.
func (m *Model) Commands() [][]string {
	commands := make([][]string, len(m.sources))
	for i, s := range m.sources {
		u, _ := build(s.src, &s.values, m.o.Profile)
		noWebhook := u.Extensions.IsSet() && !u.WebhookURL.IsSet() && !ownWebhook(&u, &s.values, m.o.Profile)
		commands[i] = session.UploadArgs(u, s.values.naming(), m.o.Profile, noWebhook)
	}
	return session.Together(commands)
}
