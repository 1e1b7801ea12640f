package fulljob

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"
)

const fresh = 500 * time.Millisecond

type apiKey struct {
	id, perMinute, perDay int64
}

// keyCheck finds the key of an Authorization header and caches it for half a second.
type keyCheck struct {
	sync.Mutex
	database *Database
	seen     map[string]seenKey
}

type seenKey struct {
	key    *apiKey
	readAt time.Time
}

func newKeyCheck(database *Database) *keyCheck {
	return &keyCheck{database: database, seen: map[string]seenKey{}}
}

func (c *keyCheck) find(field string, now time.Time) *apiKey {
	c.Lock()
	defer c.Unlock()
	if known, ok := c.seen[field]; ok && now.Sub(known.readAt) < fresh {
		return known.key
	}
	delete(c.seen, field)
	scheme, text, _ := strings.Cut(field, " ")
	if !strings.EqualFold(scheme, "bearer") || text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	key, err := c.database.findKey(hex.EncodeToString(sum[:]))
	if err != nil {
		return nil
	}
	c.seen[field] = seenKey{key, now}
	return key
}
