package settings

import (
	"fmt"
	"net"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// testedWebhooks is how the test of the way to our receiver came out.
type testedWebhooks struct {
	reader *kit.Reader // opened for it
	err    error
}

// testWebhooks posts to the address at which the service reaches us, and shows
// whether the post arrived and what can be done.
func (m *Model) testWebhooks() tea.Cmd {
	reader := kit.NewReader("Webhooks", m.webhookWords("A post is on its way to "+m.receiverAddress()+"…"))
	m.Overlays().Open(reader)
	ctx, test := m.o.Context, m.o.Session.TestReceiver
	return func() tea.Msg { return testedWebhooks{reader, test(ctx)} }
}

func (m *Model) webhooksTested(msg testedWebhooks) tea.Cmd {
	words := "A post to " + m.receiverAddress() + " arrived here."
	level := page.Good
	if msg.err != nil {
		level = page.Warn
		words = text.Sentence(msg.err.Error())
		if hint := api.Hint(msg.err); hint != "" {
			words += "\n" + hint
		}
	}
	if msg.reader.Closed() {
		return page.Send(page.Toast{Level: level, Text: firstLine(words), Detail: words})
	}
	m.Overlays().CloseAll() // the reader
	m.Overlays().Open(kit.NewReader("Webhooks", m.webhookWords(words)))
	return nil
}

func (m *Model) receiverAddress() string {
	if m.o.Profile.Receiver == "" {
		return "this computer"
	}
	return m.o.Profile.Receiver
}

// webhookWords are an outcome, and how to come to a public address.
func (m *Model) webhookWords(outcome string) string {
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
		"A service tells how an extension ended by a post to the receiver of mediadesk, which listens at http://" + listen + ". From the internet it is reached through a tunnel. mediadesk starts none; any of these does:",
		"",
		"  cloudflared tunnel --url http://" + listen,
		"  ngrok http " + port,
		"  tailscale funnel " + port,
		fmt.Sprintf("  ssh -N -R %s:%s YOU@SERVER", port, listen),
		"  (where the web server of SERVER passes /hook/ on to 127.0.0.1:" + port + ")",
		"",
		"1. Start the tunnel. It prints a public https address.",
		"2. Set it as the account's address for webhooks (e), or with mediadesk profile add NAME --webhook-url ADDRESS.",
		"3. Open the account again, and test here (w).",
		"",
		"Each upload has an address of its own that nobody can guess; everything else is answered with 404. Where the service signs its posts, put its secret into a file that only you can read and name it there too (--webhook-secret-file), or give it as MEDIADESK_WEBHOOK_SECRET: posts that are not signed with it are then not believed.",
		"",
		"Without a public address extensions run all the same: mediadesk finds what succeeded by looking at the file. A failure is then told by nobody.",
	}
	if at := m.o.ReceiverAddr; at != "" && at != listen && !strings.HasSuffix(listen, ":0") {
		paragraphs = append(paragraphs, "", "Just now the receiver listens at http://"+at+": something else has its usual port. A tunnel to the usual port reaches it only where that is another mediadesk of yours.")
	}
	return strings.Join(paragraphs, "\n")
}
