package fulljob

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"sync"
	"time"
)

const flushEvery = time.Second

// requestLog writes a line of JSON per request to standard output, buffered for a second.
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
