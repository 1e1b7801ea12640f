package fulljob

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	minute = int64(60)
	day    = int64(86_400)
)

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

// charge counts a request if both windows have room, and sets the rate limit headers.
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
