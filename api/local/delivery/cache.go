package delivery

import (
	"context"
	"sync"

	"golang.org/x/sync/singleflight"

	"mediadesk/api/media"
)

// cacheSize limits the cached pictures in bytes.
const cacheSize = 48 << 20

// Cache keeps the pictures used last. The zero Cache is ready to use and safe for concurrent use.
type Cache struct {
	flight singleflight.Group
	once   sync.Once
	kept   *media.Cache[string, made]
}

type made struct {
	data []byte
	mime string
}

// Get returns the picture for key, or makes it once for all concurrent callers. The bytes must not
// be changed.
func (c *Cache) Get(ctx context.Context, key string, make func(context.Context) ([]byte, string, error)) ([]byte, string, error) {
	c.once.Do(func() { c.kept = media.NewCache[string, made](cacheSize) })
	if m, ok := c.kept.Get(key); ok {
		return m.data, m.mime, nil
	}
	v, err, _ := c.flight.Do(key, func() (any, error) {
		// Other callers wait too, so it outlives the first one.
		data, mime, err := make(context.WithoutCancel(ctx))
		if err == nil && len(data) <= cacheSize/4 {
			c.kept.Put(key, made{data, mime}, int64(len(data)))
		}
		return made{data, mime}, err
	})
	if err != nil {
		return nil, "", err
	}
	m := v.(made)
	return m.data, m.mime, nil
}
