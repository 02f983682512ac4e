package settings

import (
	"cmp"
	"fmt"
	"net"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// testWebhooks posts to the webhook address and shows whether the post arrived and what to do.
func (m *Model) testWebhooks() tea.Cmd {
	reader := kit.NewReader("Webhooks", m.webhookGuide("Sending a post to "+m.receiverAddress()+"…"))
	m.Overlays().Open(reader)
	ctx, test := m.o.Context, m.o.Session.TestReceiver
	return func() tea.Msg {
		err := test(ctx)
		return page.Then(func() tea.Cmd { return m.webhooksTested(reader, err) })
	}
}

// webhooksTested shows the result of a test in its reader, or in a message if the reader is closed.
func (m *Model) webhooksTested(reader *kit.Reader, err error) tea.Cmd {
	words := "A post to " + m.receiverAddress() + " arrived here."
	level := page.Good
	if err != nil {
		level = page.Warn
		words = text.Sentence(err.Error())
		if hint := api.Hint(err); hint != "" {
			words += "\n" + hint
		}
	}
	if reader.Closed() {
		return page.Send(page.Toast{Level: level, Text: firstLine(words), Detail: words})
	}
	m.Overlays().CloseAll() // close the reader
	m.Overlays().Open(kit.NewReader("Webhooks", m.webhookGuide(words)))
	return nil
}

func (m *Model) receiverAddress() string {
	return cmp.Or(m.o.Profile.Receiver, "this computer")
}

// webhookGuide returns the outcome with instructions for a public address.
func (m *Model) webhookGuide(outcome string) string {
	listen := m.config.Webhook.Listen
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		port = "7844"
	}
	paragraphs := []string{
		outcome,
		"",
		"How a service on the internet reaches this computer",
		"",
		"A service reports the result of an extension with a post to the receiver of mediadesk, which listens at http://" + listen + ". A tunnel makes it reachable from the internet. mediadesk starts none; you can use one of these:",
		"",
		"  cloudflared tunnel --url http://" + listen,
		"  ngrok http " + port,
		"  tailscale funnel " + port,
		fmt.Sprintf("  ssh -N -R %s:%s YOU@SERVER", port, listen),
		"  (the web server of SERVER must pass /hook/ on to 127.0.0.1:" + port + ")",
		"",
		"1. Start the tunnel. It prints a public https address.",
		"2. Press e and enter it under Webhooks to, or run mediadesk profile add NAME --webhook-url URL.",
		"3. Open the account again, and press w to test it.",
		"",
		"Each upload has its own address that nobody can guess; the receiver answers everything else with 404. If the service signs its posts, store the secret in a file that only you can read and enter its path there, too (--webhook-secret-file), or set MEDIADESK_WEBHOOK_SECRET. Posts without a valid signature are then ignored.",
		"",
		"Extensions also run without a public address: mediadesk polls the file for results. Failures then go unreported.",
	}
	if at := m.o.ReceiverAddr; at != "" && at != listen && !strings.HasSuffix(listen, ":0") {
		paragraphs = append(paragraphs, "", "At the moment the receiver listens at http://"+at+", because another program uses its usual port. A tunnel to the usual port works only if that program is another mediadesk of yours.")
	}
	return strings.Join(paragraphs, "\n")
}
