package delivery

import (
	"context"
	"sync"

	"golang.org/x/sync/singleflight"
)

// cacheSize limits the cached pictures in bytes.
const cacheSize = 48 << 20

// Cache keeps the pictures used last. The zero Cache is ready to use and safe for concurrent use.
type Cache struct {
	flight singleflight.Group
	mu     sync.Mutex
	kept   map[string]made
	order  []string
	size   int
}

type made struct {
	data []byte
	mime string
}

// Get returns the picture for key, or makes it once for all concurrent callers. The bytes must not
// be changed.
func (c *Cache) Get(ctx context.Context, key string, make func(context.Context) ([]byte, string, error)) ([]byte, string, error) {
	c.mu.Lock()
	m, ok := c.kept[key]
	c.mu.Unlock()
	if ok {
		return m.data, m.mime, nil
	}
	v, err, _ := c.flight.Do(key, func() (any, error) {
		// Other callers wait too, so it outlives the first one.
		data, mime, err := make(context.WithoutCancel(ctx))
		if err == nil {
			c.keep(key, made{data, mime})
		}
		return made{data, mime}, err
	})
	if err != nil {
		return nil, "", err
	}
	m = v.(made)
	return m.data, m.mime, nil
}

func (c *Cache) keep(key string, m made) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[key]; ok || len(m.data) > cacheSize/4 {
		return
	}
	if c.kept == nil {
		c.kept = map[string]made{}
	}
	c.kept[key] = m
	c.order = append(c.order, key)
	c.size += len(m.data)
	for c.size > cacheSize {
		c.size -= len(c.kept[c.order[0]].data)
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
}
