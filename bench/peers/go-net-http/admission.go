package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	fresh      = 500 * time.Millisecond
	flushEvery = time.Second
	minute     = int64(60)
	day        = int64(86_400)
)

type contextKey struct{}

var keyOf contextKey

type apiKey struct {
	id, perMinute, perDay int64
}

func withKey(r *http.Request, key *apiKey) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), keyOf, key))
}

// keyCheck finds the key of an Authorization field; what was found is good for half a second.
type keyCheck struct {
	sync.Mutex
	database *database
	seen     map[string]seenKey
}

type seenKey struct {
	key    *apiKey
	readAt time.Time
}

func newKeyCheck(database *database) *keyCheck {
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

// limits counts requests of keys in fixed windows of a minute and a day.
type limits struct {
	sync.Mutex
	used map[int64]*[2]window
}

type window struct {
	start, count int64
}

func newLimits() *limits {
	return &limits{used: map[int64]*[2]window{}}
}

// charge counts a request where both windows have room, and says what is left in the fields.
func (l *limits) charge(key *apiKey, at time.Time, fields http.Header) bool {
	now := at.Unix()
	l.Lock()
	used := l.used[key.id]
	if used == nil {
		used = &[2]window{}
		l.used[key.id] = used
	}
	lengths, allowed := [2]int64{minute, day}, [2]int64{key.perMinute, key.perDay}
	granted := true
	for i := range used {
		if start := now - now%lengths[i]; used[i].start != start {
			used[i] = window{start: start}
		}
		granted = granted && used[i].count < allowed[i]
	}
	if granted {
		used[0].count++
		used[1].count++
	}
	state := *used
	l.Unlock()

	var left, resets [2]int64
	for i := range state {
		left[i], resets[i] = allowed[i]-state[i].count, state[i].start+lengths[i]
	}
	tightest := 0
	if left[1] < left[0] {
		tightest = 1
	}
	fields.Set("X-RateLimit-Limit", strconv.FormatInt(allowed[tightest], 10))
	fields.Set("X-RateLimit-Remaining", strconv.FormatInt(left[tightest], 10))
	fields.Set("X-RateLimit-Reset", strconv.FormatInt(resets[tightest], 10))
	fields.Set("RateLimit-Policy", fmt.Sprintf(
		`"minute";q=%d;w=%d, "day";q=%d;w=%d`, allowed[0], minute, allowed[1], day))
	fields.Set("RateLimit", fmt.Sprintf(
		`"minute";r=%d;t=%d, "day";r=%d;t=%d`, left[0], resets[0]-now, left[1], resets[1]-now))
	return granted
}

// statusWriter remembers the status for the log.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// requestLog writes a line of JSON a request to standard output, gathered for a second.
type requestLog struct {
	sync.Mutex
	output *bufio.Writer
}

type record struct {
	Time         time.Time `json:"time"`
	RequestID    string    `json:"requestId"`
	KeyID        int64     `json:"keyId,omitempty"`
	Method       string    `json:"method"`
	Path         string    `json:"path"`
	Status       int       `json:"status"`
	Milliseconds float64   `json:"milliseconds"`
}

func newRequestLog() *requestLog {
	lines := &requestLog{output: bufio.NewWriterSize(os.Stdout, 131_072)}
	go func() {
		for range time.Tick(flushEvery) {
			lines.Lock()
			lines.output.Flush()
			lines.Unlock()
		}
	}()
	return lines
}

func (l *requestLog) add(id string, key *apiKey, r *http.Request, status int, took time.Duration) {
	line := record{
		Time: time.Now().UTC(), RequestID: id, Method: r.Method, Path: r.URL.Path,
		Status: status, Milliseconds: float64(took.Microseconds()) / 1_000,
	}
	if key != nil {
		line.KeyID = key.id
	}
	text, _ := json.Marshal(line)
	l.Lock()
	defer l.Unlock()
	l.output.Write(append(text, '\n'))
}
