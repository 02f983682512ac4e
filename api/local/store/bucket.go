package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// partSize is the size of a request from which a content is sent in parts.
const partSize = 8 << 20

// requestTimeout limits one request to a store with its retries.
const requestTimeout = 30 * time.Second

// Keys: contents/ab/HASH is a content, aside/ab/HASH one that is set aside.
const (
	contentsKeys = "contents/"
	asideKeys    = "aside/"
)

// bucket implements Contents in an S3 store that processes may share; see Versions.Retire.
type bucket struct {
	client *minio.Client
	// for contents: its retries would read one reader from two goroutines, so put has its own
	sender       *minio.Client
	name, prefix string        // prefix begins every key; may be empty
	timeout      time.Duration // requestTimeout; shorter in tests
	holds
}

// DownError reports that the database or the storage does not answer.
type DownError struct {
	Part string // "database" or "storage"
	Err  error
}

func (e *DownError) Error() string { return fmt.Sprintf("the %s does not answer: %v", e.Part, e.Err) }

func (e *DownError) Unwrap() error { return e.Err }

// down returns ErrNotFound for a missing object and a *DownError for everything else.
func down(err error) error {
	switch {
	case err == nil:
		return nil
	case isCode(err, minio.NoSuchKey):
		return ErrNotFound
	}
	return &DownError{"storage", err}
}

func isCode(err error, code string) bool {
	return err != nil && minio.ToErrorResponse(err).Code == code
}

// MaskURL returns an address for messages, without its password and without parameters that may
// hold a secret. Text that is not an address becomes "[redacted]".
func MaskURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "[redacted]"
	}
	query := u.Query()
	for name, values := range query {
		switch name {
		case "region", "prefix", "profile", "use_path_style", "sslmode", "application_name":
		case "endpoint":
			query.Set(name, MaskURL(values[0]))
		default:
			query.Set(name, "redacted")
		}
	}
	if u.RawQuery != "" {
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}

// OpenStorage opens the store at s3://bucket?region=… or file:///folder. It must answer.
func OpenStorage(ctx context.Context, address string) (c Contents, err error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		err = errors.New("it is not an address")
	case u.Scheme == "file" && u.RawQuery == "":
		c, err = OpenContents(filepath.Join(filepath.FromSlash(u.Path), "contents"), true)
	case u.Scheme == "s3":
		c, err = openBucket(ctx, u)
	default:
		err = errors.New("give s3://BUCKET or file:///FOLDER")
	}
	if err == nil {
		err = c.Answers(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open the storage %s: %w", MaskURL(address), err)
	}
	return c, nil
}

var parameters = []string{"region", "endpoint", "use_path_style", "prefix", "profile"}

func openBucket(ctx context.Context, u *url.URL) (*bucket, error) {
	query := u.Query()
	for name := range query {
		if !slices.Contains(parameters, name) {
			return nil, fmt.Errorf("unknown parameter %q; known are %s", name, strings.Join(parameters, ", "))
		}
	}
	host, secure, lookup := "s3.amazonaws.com", true, minio.BucketLookupAuto
	if endpoint := cmp.Or(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")); endpoint != "" {
		e, err := url.Parse(endpoint)
		if err != nil || e.Host == "" || e.User != nil || e.Scheme != "http" && e.Scheme != "https" {
			return nil, errors.New("its endpoint is not an address such as https://s3.example, without credentials")
		}
		host, secure, lookup = e.Host, e.Scheme == "https", minio.BucketLookupDNS
	}
	if query.Has("use_path_style") {
		pathStyle, err := strconv.ParseBool(query.Get("use_path_style"))
		if err != nil {
			return nil, errors.New("use_path_style must be true or false")
		}
		if pathStyle {
			lookup = minio.BucketLookupPath
		}
	}
	sources := []credentials.Provider{&credentials.FileAWSCredentials{Profile: query.Get("profile")}}
	if !query.Has("profile") {
		sources = slices.Insert(sources, 0, credentials.Provider(&credentials.EnvAWS{}))
	}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		sources = append(sources, &credentials.IAM{})
	}
	keys := credentials.NewChainCredentials(sources)
	asking := &credentials.CredContext{Client: &http.Client{Timeout: 5 * time.Second}, Context: ctx}
	found, err := keys.GetWithContext(asking)
	if err == nil && found.AccessKeyID == "" {
		err = errors.New("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials")
	}
	if err != nil {
		return nil, fmt.Errorf("no credentials: %w", err)
	}
	options := minio.Options{ // without a region it asks the service
		Creds: keys, Secure: secure, BucketLookup: lookup, MaxRetries: 5,
		Region: cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
	}
	client, err := minio.New(host, &options)
	if err != nil {
		return nil, err
	}
	options.MaxRetries = 1
	sender, err := minio.New(host, &options)
	if err != nil {
		return nil, err
	}
	return &bucket{
		client: client, sender: sender, name: u.Host, prefix: query.Get("prefix"),
		timeout: requestTimeout, holds: holds{n: map[string]int{}},
	}, nil
}

// within runs one request to the store. The error is ErrNotFound or a *DownError.
func within(timeout time.Duration, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return down(do(ctx))
}

func (b *bucket) Answers(ctx context.Context) error {
	ok, err := b.client.BucketExists(ctx, b.name)
	if err == nil && !ok {
		err = errors.New("the bucket does not exist")
	}
	return down(err)
}

// each lists the keys that begin with prefix, or if it ends in a slash, what is directly below.
func (b *bucket) each(prefix string, do func(minio.ObjectInfo)) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	late := time.AfterFunc(b.timeout, cancel)
	defer late.Stop()
	for o := range b.client.ListObjectsIter(ctx, b.name,
		minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: !strings.HasSuffix(prefix, "/")}) {
		late.Reset(b.timeout)
		if o.Err != nil {
			return down(o.Err)
		}
		o.Key = strings.TrimPrefix(o.Key, b.prefix)
		do(o)
	}
	return down(ctx.Err())
}

func (b *bucket) Prefixes() (list []string, err error) {
	add := func(o minio.ObjectInfo) {
		if name := path.Base(o.Key); len(name) == 2 {
			list = append(list, name)
		}
	}
	if err = b.each(contentsKeys, add); err == nil {
		err = b.each(asideKeys, add)
	}
	return list, err
}

func (b *bucket) List(prefix string) (list []Stored, err error) {
	for _, keys := range []string{contentsKeys, asideKeys} {
		err := b.each(keys+prefix[:2]+"/"+prefix, func(o minio.ObjectInfo) {
			if hash := path.Base(o.Key); isHash(hash) {
				list = append(list, Stored{hash, o.LastModified, keys == asideKeys})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func keyOf(hash string, aside bool) string {
	folder := contentsKeys
	if aside {
		folder = asideKeys
	}
	return folder + hash[:2] + "/" + hash
}

func (b *bucket) Open(hash string) (Content, error) {
	if !isHash(hash) {
		return nil, ErrNotFound
	}
	o := &object{bucket: b, key: keyOf(hash, false)}
	if err := o.fetch(0); err != nil {
		return nil, err
	}
	return struct {
		*io.SectionReader
		io.Closer
	}{io.NewSectionReader(o, 0, o.size), io.NopCloser(nil)}, nil
}

func (b *bucket) Retire(s Stored, remove bool, unwanted func() (bool, error)) error {
	if agreed, err := b.agreed(b, s, unwanted); err != nil || !agreed {
		return err
	}
	if remove {
		return b.delete(keyOf(s.Hash, s.Aside))
	}
	return b.move(keyOf(s.Hash, s.Aside), keyOf(s.Hash, true))
}

func (b *bucket) Restore(hash string) error { return b.move(keyOf(hash, true), keyOf(hash, false)) }

func (b *bucket) move(from, to string) error {
	// The store copies the content; gigabytes take minutes.
	err := within(20*b.timeout, func(ctx context.Context) error {
		// It copies more than 5 GB in parts.
		target := minio.CopyDestOptions{Bucket: b.name, Object: b.prefix + to}
		source := minio.CopySrcOptions{Bucket: b.name, Object: b.prefix + from}
		_, err := b.client.ComposeObject(ctx, target, source)
		return err
	})
	if err != nil {
		return err
	}
	return b.delete(from)
}

// delete removes an object. It is no error if another process did.
func (b *bucket) delete(key string) error {
	return Replaced(within(b.timeout, func(ctx context.Context) error {
		return b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{})
	}), ErrNotFound, nil)
}

// put writes an object, unless it is a small one that exists. It fails when nothing moves for a while.
func (b *bucket) put(key string, data io.ReaderAt, size int64) (err error) {
	options := minio.PutObjectOptions{PartSize: partSize, NumThreads: 2}
	if size <= partSize { // not every store knows conditions of parts
		options.SetMatchETagExcept("*")
	}
	for try := 0; try == 0 || try <= 5 && passing(err); try++ {
		<-time.After(time.Duration(try) * 100 * time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		late := time.AfterFunc(2*b.timeout, cancel)
		_, err = b.sender.PutObject(ctx, b.name, b.prefix+key,
			progress{io.NewSectionReader(data, 0, size), late, 2 * b.timeout}, size, options)
		late.Stop()
		cancel()
	}
	if isCode(err, minio.PreconditionFailed) {
		return nil
	}
	return down(err)
}

func passing(err error) bool {
	status := minio.ToErrorResponse(err).StatusCode
	return err != nil && (status == 0 || status >= 500 || status == http.StatusTooManyRequests ||
		isCode(err, "ConditionalRequestConflict"))
}

// progress puts off the end of a transfer with every read.
type progress struct {
	*io.SectionReader
	late    *time.Timer
	timeout time.Duration
}

func (p progress) ReadAt(b []byte, at int64) (int, error) {
	p.late.Reset(p.timeout)
	return p.SectionReader.ReadAt(b, at)
}

func (b *bucket) Owner(fresh string) (owner string, err error) {
	if fresh != "" { // put does nothing if there is one
		if err := b.put(ownerKey, strings.NewReader(fresh), int64(len(fresh))); err != nil {
			return "", err
		}
	}
	o := &object{bucket: b, key: ownerKey}
	err = Replaced(o.fetch(0), ErrNotFound, nil)
	return string(o.retained), err
}

func (b *bucket) Draft() (*Draft, error) { return newDraft(os.TempDir(), &b.holds, b.publish) }

// publish sends a draft. Of a large one it asks first whether the store has its content already.
func (b *bucket) publish(d *Draft, hash string) error {
	key := keyOf(hash, false)
	err := ErrNotFound
	if d.size > partSize {
		err = within(b.timeout, func(ctx context.Context) error {
			_, err := b.client.StatObject(ctx, b.name, b.prefix+key, minio.StatObjectOptions{})
			return err
		})
	}
	if errors.Is(err, ErrNotFound) {
		return b.put(key, d.file, d.size)
	}
	return err
}

// object reads an object in parts and keeps the last one.
type object struct {
	bucket *bucket
	key    string
	size   int64

	reading  sync.Mutex
	from     int64 // offset of the kept part
	retained []byte
}

const readAhead = 1 << 20

// fetch reads the part at from. The caller holds the lock.
func (o *object) fetch(from int64) error {
	return within(o.bucket.timeout, func(ctx context.Context) error {
		var options minio.GetObjectOptions
		if err := options.SetRange(from, from+readAhead-1); err != nil {
			return err
		}
		core := minio.Core{Client: o.bucket.client}
		body, info, header, err := core.GetObject(ctx, o.bucket.name, o.bucket.prefix+o.key, options)
		if from == 0 && isCode(err, minio.InvalidRange) {
			return nil // empty
		}
		if err != nil {
			return err
		}
		defer body.Close()
		part, size := make([]byte, info.Size), info.Size
		if _, err := io.ReadFull(body, part); err != nil {
			return err
		}
		if _, total, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
			if size, err = strconv.ParseInt(total, 10, 64); err != nil {
				return fmt.Errorf("read the size of a content: %w", err)
			}
		}
		if int64(len(part)) != min(readAhead, size-from) {
			return io.ErrUnexpectedEOF
		}
		o.size, o.from, o.retained = size, from, part
		return nil
	})
}

func (o *object) ReadAt(p []byte, at int64) (n int, err error) {
	o.reading.Lock()
	defer o.reading.Unlock()
	for n < len(p) {
		if at >= o.size {
			return n, io.EOF
		}
		if at < o.from || at >= o.from+int64(len(o.retained)) {
			if err := o.fetch(at); err != nil {
				return n, err
			}
		}
		some := copy(p[n:], o.retained[at-o.from:])
		n += some
		at += int64(some)
	}
	return n, nil
}
