// Package fulljob is the work of our service except its routes, for the peers in Go.
package fulljob

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
)

type contextKey struct{}

var keyOf contextKey

// Serve listens on a port of the loopback address and responds to each admitted request.
func Serve(port string, database *Database, handler http.Handler) error {
	return http.ListenAndServe("127.0.0.1:"+port, admit(database, handler))
}

// admit checks the key, counts the request, sets the common headers and writes a log line.
func admit(database *Database, next http.Handler) http.Handler {
	keys, limits, lines := newKeyCheck(database), newLimits(), newRequestLog()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		id := uuid.NewString()
		fields := w.Header()
		fields.Set("Cache-Control", "private, no-cache")
		fields.Set("X-Content-Type-Options", "nosniff")
		fields.Set("Vary", "Authorization")
		fields.Set("X-Request-Id", id)
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		key := keys.find(r.Header.Get("Authorization"), now)
		if key == nil {
			Refuse(seen, http.StatusUnauthorized, "Send a valid API key.")
		} else if !limits.charge(key, now, fields) {
			Refuse(seen, http.StatusTooManyRequests, "Wait until the limit resets.")
		} else {
			next.ServeHTTP(seen, withKey(r, key))
		}
		lines.add(id, key, r, seen.status, time.Since(now))
	})
}

func withKey(r *http.Request, key *apiKey) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), keyOf, key))
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
