package local

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

const (
	maxParts = 32
	maxText  = 64 << 10 // bytes of a text part
)

type form struct {
	library *Library
	upload  api.Upload   // its Source is the URL, if one was sent
	content *store.Draft // the bytes; nil if a URL was sent
	seen    map[string]bool
	texts   map[string]string // the raw parts except the file
	keyless bool              // the request came without the key; see admit
}

func (f *form) discard() {
	if f.content != nil {
		f.content.Discard()
	}
}

func isForm(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "multipart/form-data"
}

// readForm reads the multipart body of an upload as a stream, with parts in any order.
func (l *Library) readForm(r *http.Request) (*form, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !isForm(r) || params["boundary"] == "" {
		return nil, badRequest("The upload is not multipart/form-data.", "Send the fields and the file as multipart/form-data.")
	}
	// A file in base64 is the largest possible body.
	most := l.o.MaxSize/3*4 + l.o.MaxSize/50 + (maxParts+1)*(maxText+8<<10)
	if r.ContentLength > most {
		return nil, l.errTooLarge()
	}
	f := &form{library: l, seen: map[string]bool{}, texts: map[string]string{}}
	if f.keyless = r.Header.Get("Authorization") == ""; f.keyless {
		select {
		case l.keyless <- struct{}{}:
			defer func() { <-l.keyless }()
		default:
			return nil, refuse(http.StatusServiceUnavailable, "Too many uploads without the private key are under way.",
				"Try again in a few seconds.")
		}
	}
	// Package multipart would read in smaller parts.
	body := bufio.NewReaderSize(http.MaxBytesReader(nil, r.Body, most), 32<<10)
	err = f.read(multipart.NewReader(body, params["boundary"]))
	if sent, ok := r.Context().Value(sentKey{}).(*Request); ok {
		sent.Fields = maps.Clone(f.texts)
		for _, name := range signedParts {
			delete(sent.Fields, name)
		}
	}
	err = cmp.Or(l.admit(r, f), err)
	if err != nil { // a body that breaks a rule, or is truncated
		f.discard()
		var large *http.MaxBytesError
		var failure *storeError
		switch {
		case isRefusal(err), errors.As(err, &failure):
			return nil, err
		case errors.As(err, &large):
			return nil, l.errTooLarge()
		case errors.Is(err, multipart.ErrMessageTooLarge):
			return nil, badRequest("A part of the request has a header that is too long.", "")
		}
		return nil, errCutShort
	}
	// Even after its last part a body can be cut short.
	if _, err := io.CopyN(io.Discard, body, maxText); !errors.Is(err, io.EOF) {
		f.discard()
		return nil, errCutShort
	}
	return f, nil
}

func isRefusal(err error) bool {
	var p *problem
	var broken *api.RuleError
	return errors.As(err, &p) || errors.As(err, &broken)
}

// storeError marks an error of our own disk, as opposed to one of the body.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

// read reads the parts until one is refused. Without the key it reads on, since the parts that
// authorize the upload may come last.
func (f *form) read(parts *multipart.Reader) error {
	var refused error
	for count := 0; ; count++ {
		part, err := parts.NextPart()
		if err == io.EOF {
			return refused
		}
		if err != nil {
			return err
		}
		if count == maxParts {
			return badRequest("The request has more than "+strconv.Itoa(maxParts)+" parts.", "Send each field once.")
		}
		if err := f.part(part); err != nil {
			if !f.keyless || !isRefusal(err) {
				return err
			}
			refused = cmp.Or(refused, err)
		}
	}
}

func (f *form) part(part *multipart.Part) error {
	name := part.FormName()
	if name == "" {
		return badRequest("A part of the request has no name.", "Each part is a field: Content-Disposition: form-data; name=\"fileName\".")
	}
	if f.seen[name] {
		return badRequest(quote(name)+" appears twice in the request.", "Send each field once; lists are joined with commas.")
	}
	f.seen[name] = true
	if name == "file" {
		return f.file(part)
	}
	if name != isPublished && !slices.Contains(signedParts, name) && entry.FieldByName(name) == nil {
		return badRequest(quote(name)+" is not a field of an upload.", "Check the spelling: names are case-sensitive.")
	}
	text, err := io.ReadAll(io.LimitReader(part, maxText+1))
	if err != nil {
		return err
	}
	if len(text) > maxText {
		return badRequest(name+" is longer than "+strconv.Itoa(maxText)+" bytes.", "Shorten it.")
	}
	value := string(text)
	f.texts[name] = value
	if name != "fileName" {
		if !utf8.ValidString(value) {
			return badRequest(name+" is not valid UTF-8.", "Send texts as UTF-8.")
		}
		if absent(value) {
			return nil
		}
	}
	return f.set(name, value)
}

// isPublished is a field of uploads, a response field and a member of publish.
const isPublished = "isPublished"

// notGiven is what some clients write for a missing value; others write null.
const notGiven = "undefined"

func absent(value string) bool { return value == "" || value == notGiven || value == "null" }

func (f *form) set(name, value string) error {
	if h := handlers[name]; h.read != nil {
		return h.read(f, value)
	}
	if name == isPublished {
		return checkBool(name, value)
	}
	field := entry.FieldByName(name)
	if field == nil {
		return nil // for admit
	}
	if field.Kind == entry.KindSwitch {
		if err := checkBool(name, value); err != nil {
			return err
		}
	}
	if err := f.parse(field, value); err != nil {
		return err
	}
	return field.Check(&f.upload)
}

func (f *form) parse(field *entry.Field, value string) error {
	e := entry.Entry{Upload: f.upload}
	err := field.Parse(&e, value)
	f.upload = e.Upload
	return err
}

func checkBool(name, value string) error {
	if value != "true" && value != "false" {
		return badRequest(name+" is "+quote(value)+", not true or false.", "Send true or false.")
	}
	return nil
}

// checkWebhook checks that posts can go to an address. A user name would be sent as a password.
func checkWebhook(address string) error {
	if err := rule.CheckWebhookURL(address); err != nil {
		return err
	}
	if u, err := url.Parse(address); err != nil || u.User != nil {
		return badRequest("webhookUrl contains a user name.", "Put a secret into its path instead.")
	}
	return nil
}

// file reads the file part, as bytes if it has a file name or a type other than text, else as text.
func (f *form) file(part *multipart.Part) error {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return badRequest("The file part has a Content-Disposition that cannot be read.", "")
	}
	filename, isFile := params["filename"]
	body := bufio.NewReaderSize(part, 8<<10)
	if filename == addressFile { // an address and nothing else, or a file
		if text, err := body.Peek(4 << 10); err == io.EOF && rule.CheckSourceURL(string(text)) == nil {
			f.upload.Source.URL = string(text)
			return nil
		}
	}
	kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
	if isFile || err == nil && !strings.HasPrefix(kind, "text/") { // bytes, maybe without a file name
		return f.store(body)
	}
	head, err := body.Peek(len(notGiven) + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch lower := strings.ToLower(string(head)); {
	case len(head) == 0:
		return errEmptyFile
	case lower == "null", lower == notGiven:
		delete(f.seen, "file") // as base64 it would decode to three meaningless bytes
		return nil
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		text, err := io.ReadAll(io.LimitReader(body, maxText+1))
		if err != nil {
			return err
		}
		address := strings.TrimSpace(string(text))
		if len(text) > maxText {
			return badRequest("The address in file is too long.", "")
		}
		f.upload.Source.URL = address
		return rule.CheckSourceURL(address)
	case strings.HasPrefix(lower, "data:"):
		head, err := body.ReadSlice(',')
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
			return errNotBase64
		case err != nil:
			return err
		case strings.HasSuffix(strings.ToLower(strings.TrimSpace(string(head[:len(head)-1]))), ";base64"):
			return f.store(newBase64Reader(percentReader{body}))
		}
		return f.store(percentReader{body}) // a vector picture as text, say
	}
	return f.store(newBase64Reader(body))
}

var errEmptyFile = badRequest("Your request contains invalid file parameter. The file is empty (0 bytes).", "Send a file with content.")

// addressFile is the name of the file part in which an official client sends a URL.
const addressFile = "anonymous_file"

func (f *form) store(r io.Reader) error {
	draft, err := f.library.contents.Draft()
	if err != nil {
		return &storeError{err}
	}
	f.content = draft
	return f.library.fill(draft, r)
}

func (l *Library) fill(draft *store.Draft, r io.Reader) error {
	if _, err := io.Copy(diskWriter{draft}, io.LimitReader(r, l.o.MaxSize+1)); err != nil {
		return err
	}
	if draft.Size() > l.o.MaxSize {
		return l.errTooLarge()
	}
	return nil
}

type diskWriter struct{ io.Writer }

func (w diskWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = &storeError{err}
	}
	return n, err
}

func (f *form) wantsField(name string) bool {
	return slices.Contains(f.upload.ResponseFields.Or(nil), name)
}

func quote(text string) string { return api.Quote(text) }

// handler is what the library does with a field of [entry.Fields].
type handler struct {
	// read reads the part of an upload. Nil reads and checks it as the table says.
	read func(f *form, value string) error
	// change applies a details update to a stored field.
	change func(c *change, tx store.Tx, file *store.File) error
}

// handlers are those of all fields but stored texts of their own column, see [store.File.Text].
var handlers = map[string]handler{
	rule.FieldName: {read: func(f *form, value string) error {
		if f.upload.FileName = value; value == "" {
			return nil // upload reports it
		}
		return rule.CheckName(value)
	}},
	"useUniqueFileName": {read: func(f *form, value string) error {
		f.upload.UseUniqueFileName = api.Set(value == "true")
		return checkBool("useUniqueFileName", value)
	}},
	rule.FieldFolder: {read: func(f *form, value string) error {
		clean, err := rule.CleanFolder(value)
		// A folder is shared by its files, so it is normalized.
		f.upload.Folder = api.Set(norm.NFC.String(clean))
		return err
	}},
	rule.FieldTags: {
		read: func(f *form, value string) error {
			f.upload.Tags = api.Set(rule.SplitTags(value))
			return rule.CheckTagString(value)
		},
		change: func(c *change, _ store.Tx, file *store.File) error {
			if !c.Tags.IsZero() {
				file.Tags = unique(c.Tags.Or(nil))
			}
			return nil
		},
	},
	rule.FieldRegion: {
		read: func(f *form, value string) error {
			r, err := rule.ParseRegion(value)
			f.upload.CustomCoordinates = api.Set(r.String())
			return err
		},
		change: (*change).applyRegion,
	},
	rule.FieldMetadata: {
		read: func(f *form, value string) error {
			members, err := rule.ParseMetadata(value)
			// A key without a value counts as missing.
			maps.DeleteFunc(members, func(_ string, text json.RawMessage) bool { return rule.IsNull(text) })
			f.upload.CustomMetadata = api.Set(members)
			return err
		},
		change: (*change).applyMetadata,
	},
	rule.FieldResponse: {read: func(f *form, value string) error {
		names := rule.SplitTags(value)
		f.upload.ResponseFields = api.Set(names)
		return entry.CheckResponseFields(names)
	}},
	rule.FieldExtensions: {read: func(f *form, value string) error {
		list, err := f.library.readExtensions(value, true)
		f.upload.Extensions = api.Set(list)
		return err
	}},
	rule.FieldWebhook: {read: func(f *form, value string) error {
		f.upload.WebhookURL = api.Set(value)
		return checkWebhook(value)
	}},
	rule.FieldTransformation: {read: func(f *form, value string) error {
		var t api.Transformation
		err := json.Unmarshal([]byte(value), &t)
		if err = cmp.Or(err, rule.CheckTransformation(t, "")); err != nil {
			return badTransformation(err)
		}
		f.upload.Transformation = api.Set(t)
		return nil
	}},
	// Its grammar is checked in parseChecks.
	rule.FieldChecks: {read: func(f *form, value string) error {
		return f.parse(entry.FieldByName(rule.FieldChecks), value)
	}},
	"isPrivateFile": {}, rule.FieldOverwriteFile: {}, rule.FieldOverwriteTags: {}, rule.FieldOverwriteAITags: {}, rule.FieldOverwriteMetadata: {},
}

func storedTexts() (names []string) {
	for _, f := range entry.StoredFields {
		if _, ok := handlers[f.Name]; !ok {
			names = append(names, f.Name)
		}
	}
	return names
}

// setTexts stores the texts that have a column of their own. Null removes a text.
func setTexts(file *store.File, from api.Members) {
	for _, name := range storedTexts() {
		if from[name] != nil {
			*file.Text(name) = from.Text(name)
		}
	}
}

func texts(file *store.File) (members api.Members) {
	for _, name := range storedTexts() {
		if text := *file.Text(name); text != "" {
			members = members.With(name, encode(text))
		}
	}
	return members
}

var errNotBase64 = badRequest("Your request contains invalid file parameter. The text is neither an http or https address nor base64.",
	"Send bytes as a part with a file name, an address, or valid base64.")

type percentReader struct{ src *bufio.Reader }

func (r percentReader) Read(p []byte) (int, error) {
	for n := range p {
		c, err := r.src.ReadByte()
		if err == nil && c == '%' {
			c, err = escaped(r.src)
		}
		if err != nil {
			if n > 0 && errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		p[n] = c
	}
	return len(p), nil
}

func escaped(src *bufio.Reader) (byte, error) {
	var digits, c [2]byte
	if _, err := io.ReadFull(src, digits[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errNotBase64
		}
		return 0, err
	}
	if _, err := hex.Decode(c[:], digits[:]); err != nil {
		return 0, errNotBase64
	}
	return c[0], nil
}

// newBase64Reader decodes base64 of both alphabets, with white space anywhere and padding at the end.
func newBase64Reader(src io.Reader) io.Reader {
	padding, failed := 0, error(nil) // of src or its text, other than io.EOF
	// The decoder accepts one form only.
	decoder := base64.NewDecoder(base64.StdEncoding, readerFunc(func(p []byte) (retained int, err error) {
		n, err := src.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			failed = err
		}
		for _, c := range p[:n] {
			switch c {
			case ' ', '\t', '\r', '\n':
				continue
			case '-':
				c = '+'
			case '_':
				c = '/'
			case '=':
				padding++
			}
			if padding > 0 && (c != '=' || padding > 2) {
				return retained, errNotBase64
			}
			p[retained] = c
			retained++
		}
		return retained, err
	}))
	return readerFunc(func(p []byte) (int, error) {
		n, err := decoder.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			err = cmp.Or(failed, error(errNotBase64))
		}
		return n, err
	})
}
