package upload

import (
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

// level is what a check says.
type level int

const (
	fine level = iota // within the limits
	warn              // can be sent, but look at it first
	stop              // the service would refuse it, or it cannot be read
)

// check is one thing that was checked before sending.
type check struct {
	level level
	field field
	text  string
	help  string // what helps; may be empty

	of *source // the first source that has it; nil for checks of one source

	// counted says that the text is about all files that have the check.
	counted bool
	// used is how much of a limit is used; 0 for checks without one.
	used int64
}

// known is what has been learned of a source.
type known struct {
	looked   bool // somebody looked; false: nothing below is known
	identity api.Identity
	facts    media.Facts
	err      error     // why it cannot be read; nil: it can
	stored   *api.Job  // the upload that stored its content in the folder asked before; nil: none is known
	listed   *api.File // the file of its name that the service listed there; nil: none is known
	asked    string    // the folder for which stored and listed hold; empty: it is not known yet
}

// isPicture tells whether the source is known to be a picture, and whether it
// is known at all.
func (k *known) isPicture() (yes, sure bool) {
	if !k.looked || k.err != nil {
		return false, false
	}
	return k.facts.Kind == media.KindPicture, true
}

// checksOf checks one source against the rules of service.md §4.1, the limits of §8 and
// what the profile's service can do.
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

// use adds a check that is fine and says how much of a limit is used.
func (c *checker) use(used int64, f field, text string) {
	c.checks = append(c.checks, check{level: fine, field: f, text: text, used: used})
}

// refuse adds a check for an error, if there is one.
func (c *checker) refuse(f field, err error) {
	if err != nil {
		c.add(stop, f, text.Stop(err.Error()), api.Hint(err))
	}
}

// source looks at the file itself.
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

// rules says what the service would refuse.
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

// counts shows how much of a limit is used, where it is not passed.
func (c *checker) counts() {
	if tags := c.Tags.Or(nil); len(tags) > 0 && !c.has(fieldTags) {
		c.use(int64(api.TagLength(tags)), fieldTags, fmt.Sprintf("Tags %d/%d characters", api.TagLength(tags), api.MaxTagLength))
	}
	if depth := api.FolderDepth(c.Folder.Or("")); depth > 0 && !c.has(fieldFolder) {
		c.use(int64(depth), fieldFolder, fmt.Sprintf("Folder %d/%d levels", depth, api.MaxFolderDepth))
	}
}

// pictureOnly looks at what only pictures can have.
func (c *checker) pictureOnly() {
	isPicture, sure := c.k.isPicture()
	// The pixels of a region are those of the stored picture.
	same := c.Transformation.Or(api.Transformation{}).Pre == ""
	if text, ok := c.CustomCoordinates.Get(); ok && sure && same && !c.has(fieldRegion) {
		_, err := api.CheckRegion(text, isPicture, c.k.facts.Stored.X, c.k.facts.Stored.Y)
		c.refuse(fieldRegion, err)
	}
	if isPicture || !sure {
		return
	}
	what := c.k.facts.Name
	if what == "" {
		what = "no picture"
	}
	if len(c.Extensions.Or(nil)) > 0 {
		c.add(warn, fieldRemove, "Extensions work on pictures; this is: "+what+".", "Leave them out, or expect them to fail.")
	}
	if c.IsPrivateFile.Or(false) {
		c.add(warn, fieldPrivate, "Private counts for pictures only; this is: "+what+".", "")
	}
}

// transformation looks whether the service can do it with this file, and when.
func (c *checker) transformation() {
	t, ok := c.Transformation.Get()
	if !ok || !c.k.looked || c.k.err != nil || c.has(fieldTransformation) {
		return
	}
	c.refuse(fieldTransformation, api.CheckTransformation(t, c.k.facts.MIME))
	if t.Pre != "" && strings.HasPrefix(c.k.facts.MIME, "video/") {
		c.add(warn, fieldTransformation, "The service transforms the video before it stores it. Until then the upload waits for the service.", eventsHelp)
	}
}

// eventsHelp says how the end of a transformation is learned.
const eventsHelp = "Hosted services report the end to the webhook address that is set in the account, not to the webhook of the upload. Without it, mediadesk searches for the file by its name."

// webhook looks whether somebody will be told how slow extensions end.
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

// fieldOf is the field of the form that a broken rule belongs to.
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

// host is the name of the service in a sentence.
func host(p session.Profile) string {
	if p.Host != "" {
		return p.Host
	}
	return "the service"
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Host
}
