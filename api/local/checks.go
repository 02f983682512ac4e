package local

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// parseChecks reads the checks of an upload (hosted-service.md §12). Their grammar is that
// of searches, their fields are in quotation marks. nil: there are none.
func (f *form) parseChecks(ctx context.Context) (*store.Match, error) {
	text := f.upload.Other.Text(rule.FieldChecks)
	if text == "" {
		return nil, nil
	}
	fields, err := store.View(ctx, f.library.records, metadataFields)
	if err != nil {
		return nil, err
	}
	c, err := rule.ParseChecks(text, fields, true)
	var m *store.Match
	if err == nil {
		find := func(name rule.SearchWord) (searchSubject, error) { return findGiven(name, fields) }
		m, err = (&matcher{now: f.library.now(), find: find}).match(&c)
	}
	if err != nil {
		err = badRequest("Your request contains invalid syntax for the checks parameter.", "The problem: "+err.Error()+".")
	}
	return m, err
}

// findGiven returns the subject of a field of checks.
func findGiven(name rule.SearchWord, fields []api.MetadataField) (searchSubject, error) {
	schema, takes, err := rule.ChecksField(name, fields, true)
	s := searchSubject{store.MatchGiven, name.Text, takes, setValues(schema)}
	switch {
	case name.Text == "request.folder":
		s.set = setGivenFolder
	case name.Text == rule.ChecksSize:
		s.set = setGivenSize
	case schema.Type == rule.MetadataDate:
		s.set = setDate
	}
	return s, err
}

// setGivenFolder writes folders as the request has them after it was read. A folder that
// a name begins with is no more than completed: its last part may be the beginning of one.
func setGivenFolder(m *store.Match, values []rule.SearchWord, now time.Time) error {
	for i, v := range values {
		clean, err := rule.CleanFolder(v.Text)
		if err != nil {
			return err
		}
		if m.Op == ":" && !strings.HasSuffix(v.Text, "/") {
			clean = strings.TrimSuffix(clean, "/")
		}
		values[i].Text = clean
	}
	return setValues(api.MetadataSchema{Type: rule.MetadataText})(m, values, now)
}

// setGivenSize writes a number of bytes, as in searches.
func setGivenSize(m *store.Match, values []rule.SearchWord, _ time.Time) error {
	n, err := rule.SearchSize(values[0].Text)
	m.Values = []any{float64(n)}
	return err
}

// check refuses the upload unless it meets its checks. They are about the file as it
// would be stored.
func (f *form) check(ctx context.Context, m *store.Match, version *store.Version) error {
	if m == nil {
		return nil
	}
	given, err := f.given(ctx, version)
	if err != nil {
		return err
	}
	met, err := store.View(ctx, f.library.records, func(tx store.Tx) (bool, error) { return tx.Files.Meets(given, m) })
	if err == nil && !met {
		err = errChecks
	}
	return err
}

var errChecks = badRequest("Your request failed 'checks' validation.", "The file or the request does not meet the condition in checks.")

// given are the fields that checks can ask for. What a file does not have is left out.
func (f *form) given(ctx context.Context, version *store.Version) (map[string]any, error) {
	u := &f.upload
	given := map[string]any{
		"request.fileName": u.FileName, "request.folder": u.Folder.Or("/"), "request.isPublished": f.texts["isPublished"] != "false",
		"file.size": version.Size, "file.mime": version.Mime,
	}
	for _, field := range entry.Fields {
		if field.Kind == entry.KindSwitch {
			given["request."+field.Name] = cmp.Or(f.texts[field.Name], strconv.FormatBool(field.Default)) == "true"
		}
	}
	given["request.useUniqueFileName"] = u.UseUniqueFileName.Or(true)
	for name, value := range u.CustomMetadata.Or(nil) {
		given["request.customMetadata."+name] = value
	}
	if tags, ok := u.Tags.Get(); ok {
		given["request.tags"] = tags
	}
	for name, value := range map[string]api.Field[string]{"customCoordinates": u.CustomCoordinates, "webhookUrl": u.WebhookURL} {
		if text, ok := value.Get(); ok {
			given["request."+name] = text
		}
	}
	reads := &noted{ReaderAt: f.content}
	facts, err := media.ReadFacts(ctx, io.NewSectionReader(reads, 0, version.Size))
	if err := reads.or(err); err != nil {
		return nil, fmt.Errorf("read the stored bytes: %w", err)
	}
	for name, codec := range map[string]string{"videoCodec": facts.VideoCodec, "audioCodec": facts.AudioCodec} {
		if codec != "" {
			given["mediaMetadata."+name] = codec
		}
	}
	if facts.Stored.X > 0 {
		given["mediaMetadata.width"], given["mediaMetadata.height"] = facts.Stored.X, facts.Stored.Y
	}
	if seconds := facts.Duration.Seconds(); seconds > 0 {
		given["mediaMetadata.duration"], given["mediaMetadata.bitRate"] = seconds, float64(version.Size)*8/1000/seconds
	}
	return given, nil
}
