package local

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

const (
	maxParts = 32
	maxText  = 64 << 10 // bytes of a text part
)

// form is a parsed upload request.
type form struct {
	library *Library
	upload  api.Upload  // its Source is the URL, if one was sent
	content store.Draft // the bytes; nil if a URL was sent
	seen    map[string]bool
	texts   map[string]string // the raw parts except the file
	keyless bool              // the request came without the key; see admit
	proven  bool              // and is allowed all the same

	unproven bool // its file came before that was known
}

func (f *form) discard() {
	if f.content != nil {
		f.content.Discard()
	}
}

// readForm reads the multipart body of an upload as a stream, with parts in any order. It stops at
// the first invalid part.
func (l *Library) readForm(r *http.Request) (*form, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, badRequest("The upload is not multipart/form-data.", "Send the fields and the file as multipart/form-data.")
	}
	// A file in base64 is the largest possible body.
	most := l.o.MaxSize/3*4 + l.o.MaxSize/50 + (maxParts+1)*(maxText+8<<10)
	if r.ContentLength > most {
		return nil, l.errTooLarge()
	}
	f := &form{library: l, seen: map[string]bool{}, texts: map[string]string{}, keyless: r.Header.Get("Authorization") == ""}
	body := bodies.Get().(*bufio.Reader)
	body.Reset(http.MaxBytesReader(nil, r.Body, most))
	defer giveBack(&bodies, body)
	defer func() {
		if f.unproven {
			<-l.unproven
		}
	}()
	err = f.read(r, multipart.NewReader(body, params["boundary"]))
	noteFields(r, f.texts)
	if !f.proven && !errors.Is(err, errUnproven) {
		err = cmp.Or(l.admit(r, f, true), err)
	}
	if err != nil {
		f.discard()
		return nil, l.readingError(err)
	}
	// Even after its last part a body can be cut short.
	if _, err := io.CopyN(io.Discard, body, maxText); !errors.Is(err, io.EOF) {
		f.discard()
		return nil, errCutShort
	}
	return f, nil
}

// readingError distinguishes a truncated body from one that breaks a rule.
func (l *Library) readingError(err error) error {
	var large *http.MaxBytesError
	var own *storeError
	switch {
	case isRefusal(err):
		return err
	case errors.As(err, &large):
		return l.errTooLarge()
	case errors.As(err, &own):
		return own.err
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return badRequest("A part of the request has a header that is too long.", "")
	}
	return errCutShort
}

// isRefusal reports whether err answers a request that breaks a rule.
func isRefusal(err error) bool {
	var p *problem
	var broken *api.RuleError
	return errors.As(err, &p) || errors.As(err, &broken)
}

// storeError marks an error of our own disk, as opposed to one of the body.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }

// read reads the parts until one is refused. Without the key it reads on, since the parts that
// authorize the upload may come last; it stops when they prove to be wrong.
func (f *form) read(r *http.Request, parts *multipart.Reader) error {
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
			if !f.keyless || !isRefusal(err) || errors.Is(err, errUnproven) {
				return err
			}
			refused = cmp.Or(refused, err)
		}
		if f.keyless && !f.proven {
			if err := f.library.admit(r, f, false); err != nil {
				return err
			}
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
	if name == "file" && f.keyless && !f.proven {
		select {
		case f.library.unproven <- struct{}{}:
			f.unproven = true
		default:
			return errUnproven
		}
	}
	f.seen[name] = true
	if name == "file" {
		return f.file(part)
	}
	if !isField(name) {
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

// isField reports whether an upload has a part of that name beside the file: [entry.Fields], what
// signs the upload, and a field of hosted services.
func isField(name string) bool {
	return name == isPublished || slices.Contains(signedParts, name) || entry.FieldByName(name) != nil
}

// set sets a field: as its handler reads it, or as the table does.
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

// parse sets a field as the table reads it.
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

// isBytes reports whether the file part has a type other than text: some clients send bytes without
// a file name.
func isBytes(part *multipart.Part) bool {
	kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
	return err == nil && !strings.HasPrefix(kind, "text/")
}

// file reads the file part, as bytes if it has a file name or a type other than text, else as text.
func (f *form) file(part *multipart.Part) error {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return badRequest("The file part has a Content-Disposition that cannot be read.", "")
	}
	filename, isFile := params["filename"]
	body := heads.Get().(*bufio.Reader)
	body.Reset(part)
	defer giveBack(&heads, body)
	if filename == addressFile {
		if address := lonelyAddress(body); address != "" {
			f.upload.Source.URL = address
			return nil
		}
	}
	if isFile || isBytes(part) {
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
		decoded, err := dataURI(body)
		if err != nil {
			return err
		}
		return f.store(decoded)
	}
	return f.store(newBase64Reader(body))
}

var errEmptyFile = badRequest("Your request contains invalid file parameter. The file is empty (0 bytes).", "Send a file with content.")

// addressFile is the file name under which an official client sends a URL as if it were file
// content.
const addressFile = "anonymous_file"

// lonelyAddress returns the address if body contains nothing else, or "". It consumes nothing.
func lonelyAddress(body *bufio.Reader) string {
	text, err := body.Peek(4 << 10)
	if err != io.EOF {
		return ""
	}
	if rule.CheckSourceURL(string(text)) != nil {
		return ""
	}
	return string(text)
}

// store writes the file to the disk as it arrives.
func (f *form) store(r io.Reader) error {
	draft, err := f.library.contents.Draft()
	if err != nil {
		return &storeError{err}
	}
	f.content = draft
	return f.library.fill(draft, r)
}

// fill copies r into draft and stops if it is too large.
func (l *Library) fill(draft store.Draft, r io.Reader) error {
	block := blocks.Get().(*[32 << 10]byte)
	defer blocks.Put(block)
	_, err := io.CopyBuffer(diskWriter{draft}, io.LimitReader(r, l.o.MaxSize+1), block[:])
	if err != nil {
		return err
	}
	if draft.Size() > l.o.MaxSize {
		return l.errTooLarge()
	}
	return nil
}

// blocks are what contents are copied with. bodies read requests, in larger parts than package
// multipart does, and heads look at the beginning of a file.
var (
	blocks = sync.Pool{New: func() any { return new([32 << 10]byte) }}
	bodies = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 32<<10) }}
	heads  = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 8<<10) }}
)

func giveBack(pool *sync.Pool, r *bufio.Reader) {
	r.Reset(nil)
	pool.Put(r)
}

// diskWriter marks write errors.
type diskWriter struct{ io.Writer }

func (w diskWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = &storeError{err}
	}
	return n, err
}

// missing reports a missing required field (service.md §4.1), or a path that is too long.
func (f *form) missing() error {
	if !f.seen["file"] {
		return badRequest("Your request is missing file parameter.", "Send the file as bytes, base64 text or an address.")
	}
	if f.upload.FileName == "" {
		return badRequest("Your request is missing fileName parameter.", "Give the file a name.")
	}
	return rule.CheckPathOf(&f.upload)
}

// wantsField reports whether the request asked for a response field.
func (f *form) wantsField(name string) bool {
	return slices.Contains(f.upload.ResponseFields.Or(nil), name)
}

func quote(text string) string { return strconv.Quote(shorten(text)) }

// shorten shortens a text for a message.
func shorten(text string) string {
	if r := []rune(text); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return text
}
