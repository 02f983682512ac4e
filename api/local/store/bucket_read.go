package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// object implements Content in a store. It reads in parts and keeps the last one.
type object struct {
	bucket *bucket
	key    string
	size   int64
	at     int64 // position of Read

	reading sync.Mutex
	from    int64 // offset of the kept part
	kept    []byte
}

// Size of the part to read ahead. The first is small, since thumbnails and answers without a body
// need no more.
const (
	firstRead = 64 << 10
	nextRead  = 2 << 20
)

// fetch reads the part at from. The caller holds the lock.
func (o *object) fetch(from int64) error {
	most := int64(nextRead)
	if from == 0 {
		most = firstRead
	}
	return o.bucket.timed(func(ctx context.Context) error {
		r, err := o.bucket.NewRangeReader(ctx, o.key, from, most, nil)
		if from == 0 && isCode(err, "InvalidRange") {
			return nil // empty
		}
		if err != nil {
			return err
		}
		defer r.Close()
		var part bytes.Buffer
		_, err = part.ReadFrom(r)
		if want := min(most, r.Size()-from); err == nil && int64(part.Len()) != want {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			o.size, o.from, o.kept = r.Size(), from, part.Bytes()
		}
		return err
	})
}

func (o *object) ReadAt(p []byte, at int64) (n int, err error) {
	o.reading.Lock()
	defer o.reading.Unlock()
	for n < len(p) {
		if at >= o.size {
			return n, io.EOF
		}
		if at < o.from || at >= o.from+int64(len(o.kept)) {
			if err := o.fetch(at); err != nil {
				return n, err
			}
		}
		some := copy(p[n:], o.kept[at-o.from:])
		n += some
		at += int64(some)
	}
	return n, nil
}

func (o *object) Read(p []byte) (int, error) {
	if int64(len(p)) > o.size-o.at {
		p = p[:max(0, o.size-o.at)]
		if len(p) == 0 {
			return 0, io.EOF
		}
	}
	n, err := o.ReadAt(p, o.at)
	o.at += int64(n)
	return n, err
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return o.at, errors.New("seek before the beginning of a content")
	}
	o.at = offset
	return offset, nil
}

func (o *object) Close() error { return nil }
