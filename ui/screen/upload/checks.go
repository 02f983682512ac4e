package upload

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// level is the severity of a check.
type level int

const (
	fine level = iota // within the limits
	warn              // can be sent, but needs attention
	stop              // unreadable, or the service would refuse it
)

// check is the result of one check before sending.
type check struct {
	level level
	field field
	text  string
	help  string // how to fix it; may be empty

	of *source // the first affected source; nil if the checks are of one source

	// counted means that the text covers all affected files.
	counted bool
	// used is the used part of a limit; 0 if the check has no limit.
	used int64
}

// known is what the form has found out about a source.
type known struct {
	looked   bool // the file was inspected; false: the rest is unknown
	identity api.Identity
	facts    media.Facts
	err      error     // why the file cannot be read, or nil
	stored   *api.Job  // the upload that stored its content in the folder asked, or nil
	listed   *api.File // the file of its name in that folder, or nil
	asked    string    // the folder of stored and listed; empty: not known yet
}

// isPicture reports whether the source is a picture, and whether that is certain.
func (k *known) isPicture() (yes, sure bool) {
	if !k.looked || k.err != nil {
		return false, false
	}
	return k.facts.Kind == media.KindPicture, true
}

// checksOf checks a source against the rules of service.md §4.1, the limits of §8 and the profile's service.
func checksOf(e *api.Entry, problems []problem, k *known, p session.Profile) []check {
	c := checker{Entry: e, k: k, p: p}
	c.source()
	c.rules(problems)
	c.counts()
	c.transformation()
	c.pictureOnly()
	c.webhook()
	return c.checks
}

type checker struct {
	*api.Entry
	k      *known
	p      session.Profile
	checks []check
}

func (c *checker) add(l level, f field, text, help string) {
	c.checks = append(c.checks, check{level: l, field: f, text: text, help: help})
}

// use adds a passed check with the used part of its limit.
func (c *checker) use(used int64, f field, text string) {
	c.checks = append(c.checks, check{level: fine, field: f, text: text, used: used})
}

// refuse adds a check for err, unless it is nil.
func (c *checker) refuse(f field, err error) {
	if err != nil {
		c.add(stop, f, text.Stop(err.Error()), api.Hint(err))
	}
}

// source checks the file itself.
func (c *checker) source() {
	if c.Source.URL != "" || !c.k.looked {
		return
	}
	if c.k.err != nil {
		c.refuse(fieldName, c.k.err)
		return
	}
	size := c.k.identity.Size
	if err := api.CheckSize(size, c.p.MaxSize); err != nil {
		c.refuse(fieldName, err)
		return
	}
	if c.p.MaxSize > 0 {
		c.use(size, fieldName, "Size "+text.Bytes(size)+" of "+text.Bytes(c.p.MaxSize))
		return
	}
	c.use(size, fieldName, "Size "+text.Bytes(size)+" (the limit of this account is not known)")
}

// rules adds what the service would refuse.
func (c *checker) rules(problems []problem) {
	for _, p := range problems {
		c.refuse(p.field, p.err)
	}
	for _, err := range c.Check() {
		c.refuse(fieldOf(err), err)
	}
	if hasFields(c.FileName) {
		c.add(warn, fieldName, "The name holds a field of a pattern; as it is, its braces become _.", "Press ctrl+t to use it as a pattern.")
	}
	if name := c.FileName; name != "" && path.Ext(name) == "" && api.CheckName(name) == nil {
		c.add(warn, fieldName, "The name has no extension, such as .jpg.", "Programs may not know what the file is: add one to the name.")
	}
	if c.Source.URL != "" && !c.p.Local && api.IsPrivateHost(c.Source.URL) {
		c.add(warn, fieldName, "The source address is in a private network, which "+host(c.p)+" cannot reach.", "Send the file itself instead.")
	}
}

func (c *checker) has(f field) bool {
	for _, l := range c.checks {
		if l.field == f && l.level == stop {
			return true
		}
	}
	return false
}

// counts shows how much of each limit is used, unless the limit is exceeded.
func (c *checker) counts() {
	if tags := c.Tags.Or(nil); len(tags) > 0 && !c.has(fieldTags) {
		c.use(int64(api.TagLength(tags)), fieldTags, fmt.Sprintf("Tags %d/%d characters", api.TagLength(tags), api.MaxTagLength))
	}
	if depth := api.FolderDepth(c.Folder.Or("")); depth > 0 && !c.has(fieldFolder) {
		c.use(int64(depth), fieldFolder, fmt.Sprintf("Folder %d/%d levels", depth, api.MaxFolderDepth))
	}
}

// pictureOnly checks the options that only pictures can have.
func (c *checker) pictureOnly() {
	isPicture, sure := c.k.isPicture()
	// The region is in pixels of the stored picture.
	same := c.Transformation.Or(api.Transformation{}).Pre == ""
	if text, ok := c.CustomCoordinates.Get(); ok && sure && same && !c.has(fieldRegion) {
		_, err := api.CheckRegion(text, isPicture, c.k.facts.Stored.X, c.k.facts.Stored.Y)
		c.refuse(fieldRegion, err)
	}
	if isPicture || !sure {
		return
	}
	what := cmp.Or(c.k.facts.Name, "no picture")
	if len(c.Extensions.Or(nil)) > 0 {
		c.add(warn, fieldRemove, "Extensions work on pictures; this is: "+what+".", "Leave them out, or expect them to fail.")
	}
	if c.IsPrivateFile.Or(false) {
		c.add(warn, fieldPrivate, "Private counts for pictures only; this is: "+what+".", "")
	}
}

// transformation checks whether the service can transform this file, and when.
func (c *checker) transformation() {
	t, ok := c.Transformation.Get()
	if !ok || !c.k.looked || c.k.err != nil || c.has(fieldTransformation) {
		return
	}
	c.refuse(fieldTransformation, api.CheckTransformation(t, c.k.facts.MIME))
	if reason := c.p.CannotMake(t, c.k.facts.MIME); reason != "" {
		c.add(warn, fieldTransformation, reason, "The file is stored all the same.")
	}
	if t.Pre != "" && strings.HasPrefix(c.k.facts.MIME, "video/") {
		c.add(warn, fieldTransformation, "The service transforms the video before it stores it. Until then the upload waits for the service.", eventsHelp)
	}
}

// eventsHelp tells how to learn that a transformation has ended.
const eventsHelp = "Hosted services report the end to the webhook address that is set in the account, not to the webhook of the upload. Without it, mediadesk searches for the file by its name."

// webhook checks that something reports the results of slow extensions.
func (c *checker) webhook() {
	list := c.Extensions.Or(nil)
	if len(list) == 0 {
		return
	}
	address := c.WebhookURL.Or("")
	if c.Webhook(c.p.Receiver) {
		address = c.p.Receiver
	}
	if address != "" {
		if !c.p.Local && api.IsPrivateHost(address) {
			c.add(warn, fieldWebhook, "The webhook "+hostOf(address)+" is in a private network, which "+host(c.p)+" cannot reach: the end of extensions will not be reported.", "Give an address that is reachable from the internet.")
		}
		return
	}
	if c.WebhookURL.IsSet() {
		return
	}
	for _, e := range list {
		if e.Name != api.RemoveBackground {
			continue
		}
		if !c.NoWebhook {
			c.add(warn, fieldWebhook, "remove-bg ends later and no webhook receiver runs: its end can only be inferred from the file.", "Give an address, or look at the details later.")
			return
		}
		c.add(warn, fieldWebhook, "remove-bg ends later and there is no webhook: its end can only be inferred from the file.", "Choose a webhook under Response.")
		return
	}
}

// fieldOf returns the form field of a broken rule.
func fieldOf(err error) field {
	var rule *api.RuleError
	if !errors.As(err, &rule) {
		return fieldName
	}
	switch f := api.FieldByName(rule.Field); {
	case f == nil: // the source
		return fieldName
	case f.Kind == api.KindExtensions:
		return fieldOtherJSON
	case f.Name == api.FieldWebhook:
		return fieldAddress
	default:
		return field(f.Key)
	}
}

// host names the service in a sentence.
func host(p session.Profile) string {
	return cmp.Or(p.Host, "the service")
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Host
}
