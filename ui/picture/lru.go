package picture

import (
	"container/list"
	"sync"
)

// lru keeps the most recently used values up to a total cost. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	limit int64

	mu    sync.Mutex
	cost  int64
	order *list.List // of *entry[K, V], most recently used first
	byKey map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	cost  int64
}

func newLRU[K comparable, V any](limit int64) *lru[K, V] {
	return &lru[K, V]{limit: limit, order: list.New(), byKey: map[K]*list.Element{}}
}

func (c *lru[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// put stores a value and evicts the least recently used ones. Values above the total cost are not
// stored.
func (c *lru[K, V]) put(key K, value V, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.drop(e)
	}
	if cost > c.limit {
		return
	}
	c.byKey[key] = c.order.PushFront(&entry[K, V]{key: key, value: value, cost: cost})
	c.cost += cost
	for c.cost > c.limit {
		c.drop(c.order.Back())
	}
}

func (c *lru[K, V]) drop(e *list.Element) {
	old := c.order.Remove(e).(*entry[K, V])
	delete(c.byKey, old.key)
	c.cost -= old.cost
}
