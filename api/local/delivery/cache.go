package delivery

import (
	"context"
	"sync"

	"golang.org/x/sync/singleflight"
)

// cacheSize is how many bytes of made pictures are kept in memory: a contact
// sheet asks for the same thumbnails again and again.
const cacheSize = 48 << 20

// Cache keeps pictures that were made, the oldest make room for new ones. The
// zero Cache is ready for use, by several goroutines.
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

// Get returns the picture kept under key, or makes it. Several who ask for the
// same at once wait for one making. The bytes must not be changed.
func (c *Cache) Get(ctx context.Context, key string, make func(context.Context) ([]byte, string, error)) ([]byte, string, error) {
	c.mu.Lock()
	m, ok := c.kept[key]
	c.mu.Unlock()
	if ok {
		return m.data, m.mime, nil
	}
	v, err, _ := c.flight.Do(key, func() (any, error) {
		// The others wait too: it does not end with the first who asked.
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
