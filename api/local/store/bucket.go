package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	_ "gocloud.dev/blob/s3blob"   // s3://
	"gocloud.dev/gcerrors"

	"mediadesk/api/atomicfile"
)

const (
	// smallContent is the largest content stored in one request, under its hash. A larger one is
	// sent in parts under a random key before its hash is known.
	smallContent = 8 << 20
	partSize     = 8 << 20
	// leftoverAge is the age from which unused parts are removed.
	leftoverAge = 30 * 24 * time.Hour
)

// BucketTime limits one request to a store with its retries. Tests change it before a store is
// opened.
var BucketTime = 30 * time.Second

// Keys of a store: contents/ab/HASH is a small content; contents/ab/HASH.KEY is empty and refers to
// the bytes in large/KEY. Contents that are set aside have the same names below aside/; pictures
// below aside/, and pictures made of a content are pictures/ab/HASH-…. Marks have their
// names.
const (
	contentsKeys = "contents/"
	asideKeys    = "aside/"
	largeKeys    = "large/"
	pictureKeys  = "pictures/"
)

// bucket implements Contents in an object store that several processes may share. They coordinate
// removals through the records (see Tx.Retire).
type bucket struct {
	*blob.Bucket
	dir string // folder of a file:// store, which is synced; else empty
	holds
}

// DownError reports that the database or the storage does not answer.
type DownError struct {
	Part string // "database" or "storage"
	Err  error
}

func (e *DownError) Error() string { return fmt.Sprintf("the %s does not answer: %v", e.Part, e.Err) }

func (e *DownError) Unwrap() error { return e.Err }

func down(err error) error {
	if err == nil || errors.Is(err, ErrNotFound) {
		return err
	}
	return &DownError{"storage", err}
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
		case "region", "prefix", "use_path_style", "s3ForcePathStyle", "disable_https", "hostname_immutable", "sslmode", "application_name":
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

// OpenStorage opens the content store at an address such as s3://bucket?region=…. It fails if the
// store does not answer.
func OpenStorage(ctx context.Context, address string) (Contents, error) {
	b, err := openBucket(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("open the storage %s: %w", MaskURL(address), err)
	}
	if err := b.Answers(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the storage %s: %w", MaskURL(address), err), b.Close())
	}
	return b, nil
}

func openBucket(ctx context.Context, address string) (*bucket, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is not an address")
	}
	b := &bucket{holds: holds{n: map[string]int{}}}
	query := u.Query()
	switch u.Scheme {
	case "file":
		b.dir = filepath.FromSlash(u.Path)
		// Renaming needs the same file system, and attributes are not used.
		for name, value := range map[string]string{"create_dir": "1", "dir_file_mode": "0700", "no_tmp_dir": "1", "metadata": "skip"} {
			query.Set(name, value)
		}
	case "s3":
		// Many S3-compatible services do not support the checksums that the SDK adds.
		for _, name := range []string{"request_checksum_calculation", "response_checksum_validation"} {
			if !query.Has(name) {
				query.Set(name, "when_required")
			}
		}
	}
	u.RawQuery = query.Encode()
	if b.Bucket, err = blob.OpenBucket(ctx, u.String()); err != nil {
		// The error contains the address with its secrets.
		return nil, errors.New(strings.ReplaceAll(err.Error(), u.String(), MaskURL(u.String())))
	}
	if b.dir != "" && query.Get("prefix") != "" {
		b.dir = filepath.Join(b.dir, filepath.FromSlash(query.Get("prefix")))
	}
	return b, nil
}

// timed runs one request to the store. The error is ErrNotFound or a *DownError.
func (b *bucket) timed(do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), BucketTime)
	defer cancel()
	err := do(ctx)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return ErrNotFound
	}
	return down(err)
}

func (b *bucket) Answers(ctx context.Context) error {
	ok, err := b.IsAccessible(ctx)
	if err == nil && !ok {
		err = errors.New("the bucket does not exist")
	}
	return down(err)
}

// place locates a content: its key, the key of its bytes, and its time.
type place struct {
	key, data string
	at        time.Time
}

func (p place) hash() string {
	hash, _, _ := strings.Cut(path.Base(p.key), ".")
	return hash
}

// places lists the contents under the key prefix keys whose hash begins with prefix.
func (b *bucket) places(keys, prefix string) (list []place, err error) {
	err = b.each(keys+prefix[:2]+"/"+prefix, func(o *blob.ListObject) {
		hash, key, large := strings.Cut(path.Base(o.Key), ".")
		if !isHash(hash) {
			return
		}
		p := place{o.Key, o.Key, o.ModTime}
		if large {
			p.data = largeKeys + key
		}
		list = append(list, p)
	})
	return list, err
}

// each calls do for all objects whose key begins with prefix.
func (b *bucket) each(prefix string, do func(*blob.ListObject)) error {
	for token := blob.FirstPageToken; len(token) > 0; {
		err := b.timed(func(ctx context.Context) error {
			page, next, err := b.ListPage(ctx, token, 1000, &blob.ListOptions{Prefix: prefix})
			for _, o := range page {
				do(o)
			}
			token = next
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) List(prefix string) (list []Stored, err error) {
	for _, keys := range []string{contentsKeys, asideKeys} {
		places, err := b.places(keys, prefix)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			list = append(list, Stored{p.hash(), p.at, keys == asideKeys})
		}
	}
	return list, nil
}

func contentKey(hash string) string { return contentsKeys + hash[:2] + "/" + hash }

func (b *bucket) Open(hash string) (Content, error) {
	if !isHash(hash) {
		return nil, ErrNotFound
	}
	o := &object{bucket: b, key: contentKey(hash)}
	err := o.fetch(0)
	if !errors.Is(err, ErrNotFound) {
		return o, err
	}
	if o.key, err = b.find(hash); err != nil {
		return nil, err
	}
	return o, o.fetch(0)
}

// find returns the key of the bytes of a content.
func (b *bucket) find(hash string) (string, error) {
	places, err := b.places(contentsKeys, hash)
	if err == nil && len(places) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return places[0].data, nil
}

var errNotDirect = errors.New("this kind of storage cannot give files to clients itself: redirects need s3://")

func (b *bucket) Address(hash string, size int64, span time.Duration, mime, cache string) (address string, err error) {
	key := contentKey(hash)
	if size > smallContent {
		if key, err = b.find(hash); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), BucketTime) // credentials may come from a server
	defer cancel()
	address, err = b.SignedURL(ctx, key, &blob.SignedURLOptions{Expiry: span, BeforeSign: func(as func(any) bool) error {
		var in *s3.GetObjectInput
		if !as(&in) {
			return errNotDirect
		}
		in.ResponseContentType, in.ResponseCacheControl = &mime, &cache
		return nil
	}})
	if gcerrors.Code(err) == gcerrors.Unimplemented {
		err = errNotDirect
	}
	return address, err
}

// retire removes a content unless a draft or record has begun to use it since it was listed.
func (b *bucket) retire(s Stored, unwanted func() (bool, error), remove func(place) error) error {
	keys := contentsKeys
	if s.Aside {
		keys = asideKeys
	}
	places, err := b.places(keys, s.Hash)
	if err != nil {
		return err
	}
	for _, p := range places {
		if !p.at.Equal(s.At) || b.isHeld(s.Hash) {
			continue
		}
		if agreed, err := unwanted(); err != nil || !agreed {
			return err
		}
		if err := remove(p); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) SetAside(s Stored, unwanted func() (bool, error)) error {
	return b.retire(s, unwanted, func(p place) error { return b.move(p.key, contentsKeys, asideKeys) })
}

func (b *bucket) BringBack(hash string) error {
	places, err := b.places(asideKeys, hash)
	for _, p := range places {
		err = errors.Join(err, b.move(p.key, asideKeys, contentsKeys))
	}
	return err
}

// move renames an object of at most smallContent bytes.
func (b *bucket) move(key, from, to string) error {
	err := b.timed(func(ctx context.Context) error {
		return b.Copy(ctx, to+strings.TrimPrefix(key, from), key, nil)
	})
	if err != nil {
		return err
	}
	return b.delete(key)
}

// delete removes an object, if it exists.
func (b *bucket) delete(key string) error {
	err := b.timed(func(ctx context.Context) error { return b.Bucket.Delete(ctx, key) })
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (b *bucket) Remove(s Stored, unwanted func() (bool, error)) error {
	return b.retire(s, unwanted, func(p place) error {
		if err := b.delete(p.key); err != nil {
			return err
		}
		// After an interrupted move another place may refer to the same bytes.
		left, err := b.List(s.Hash)
		if err != nil || len(left) > 0 {
			return err
		}
		var made []string
		err = b.each(pictureKeys+s.Hash[:2]+"/"+s.Hash, func(o *blob.ListObject) { made = append(made, o.Key) })
		if p.data != p.key {
			made = append(made, p.data)
		}
		for _, key := range made {
			err = errors.Join(err, b.delete(key))
		}
		return err
	})
}

func (b *bucket) Tidy() error {
	var old []string
	count := 0
	err := b.each(largeKeys, func(o *blob.ListObject) {
		if count++; time.Since(o.ModTime) > leftoverAge {
			old = append(old, o.Key)
		}
	})
	if err != nil || len(old) == 0 {
		return err
	}
	named := map[string]bool{}
	for _, keys := range []string{contentsKeys, asideKeys} {
		err := b.each(keys, func(o *blob.ListObject) {
			if _, key, large := strings.Cut(path.Base(o.Key), "."); large {
				named[largeKeys+key] = true
			}
		})
		if err != nil {
			return err
		}
	}
	var leftovers []string
	for _, key := range old {
		if !named[key] {
			leftovers = append(leftovers, key)
		}
	}
	if n := len(leftovers); n > max(100, count/100) || 2*n > count {
		return fmt.Errorf("%d of %d objects below %s belong to no content; remove so many by hand", n, count, largeKeys)
	}
	for _, key := range leftovers {
		if err := b.delete(key); err != nil {
			return err
		}
	}
	return nil
}

// put writes an object in one request, unless the key exists.
func (b *bucket) put(key string, data []byte) error {
	err := b.timed(func(ctx context.Context) error { return b.write(ctx, key, data) })
	for again := 0; again < 5 && isCode(err, "ConditionalRequestConflict"); again++ { // a concurrent put
		err = b.timed(func(ctx context.Context) error { return b.write(ctx, key, data) })
	}
	switch {
	case gcerrors.Code(err) == gcerrors.FailedPrecondition:
		return nil
	case errors.Is(err, ErrNotFound):
		return down(errors.New("the bucket does not exist"))
	case err != nil:
		return err
	}
	return b.sync(key)
}

func (b *bucket) write(ctx context.Context, key string, data []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File // of file://
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream", BufferSize: partSize + 1, IfNotExist: true,
		BeforeWrite: func(as func(any) bool) error { as(&file); return nil },
	})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		cancel() // Close would publish half of it
	}
	return errors.Join(err, w.Close())
}

// sync makes the name of an object durable in a file:// store.
func (b *bucket) sync(key string) error {
	if b.dir == "" {
		return nil
	}
	for key != "." {
		key = path.Dir(key)
		if err := atomicfile.SyncDir(filepath.Join(b.dir, filepath.FromSlash(key))); err != nil {
			return down(err)
		}
	}
	return nil
}

func (b *bucket) Mark(name, fresh string) (string, error) {
	data, err := b.read(name)
	if errors.Is(err, ErrNotFound) && fresh != "" {
		if err := b.put(name, []byte(fresh)); err != nil {
			return "", err
		}
		data, err = b.read(name) // another process may have come first
	} else if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return string(data), err
}

func (b *bucket) read(key string) (data []byte, err error) {
	err = b.timed(func(ctx context.Context) (err error) {
		data, err = b.ReadAll(ctx, key)
		return err
	})
	return data, err
}

func pictureKey(name string) string { return pictureKeys + name[:2] + "/" + name }

func (b *bucket) Picture(name string) ([]byte, error) { return b.read(pictureKey(name)) }

func (b *bucket) KeepPicture(name string, data []byte) error { return b.put(pictureKey(name), data) }

// isCode reports whether err is the given error of an S3 service.
func isCode(err error, code string) bool {
	answer, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err)
	return ok && answer.ErrorCode() == code
}
