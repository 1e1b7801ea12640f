// The work of our service on net/http and mattn/go-sqlite3: `server PORT DATABASE`.
package main

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// Pet is an animal as the interface has it.
type Pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

const bodyMax = 65_536

func main() {
	database, err := openDatabase(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	keys, limits, lines := newKeyCheck(database), newLimits(), newRequestLog()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/pets", func(w http.ResponseWriter, r *http.Request) {
		limit := 20
		if text := r.URL.Query().Get("limit"); text != "" {
			limit, _ = strconv.Atoi(text)
		}
		if limit < 1 || limit > 100 {
			refuse(w, http.StatusBadRequest, "limit must be from 1 to 100.")
			return
		}
		answer(w, r, func() (any, error) { return database.list(limit) })
	})
	mux.HandleFunc("GET /v1/pets/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
		answer(w, r, func() (any, error) { return database.find(id) })
	})
	mux.HandleFunc("POST /v1/pets", func(w http.ResponseWriter, r *http.Request) {
		pet, ok := readPet(w, r)
		if !ok {
			refuse(w, http.StatusBadRequest, "Send name, categoryId and status.")
			return
		}
		if err := database.create(pet, r.Context().Value(keyOf).(*apiKey).id); err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Location", "/v1/pets/"+strconv.FormatInt(pet.ID, 10))
		writeJSON(w, http.StatusCreated, pet)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], admit(keys, limits, lines, mux)))
}

// admit checks the key, counts the request, sets the fields of each answer and writes its line.
func admit(keys *keyCheck, limits *limits, lines *requestLog, next http.Handler) http.Handler {
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
			refuse(seen, http.StatusUnauthorized, "Send a valid API key.")
		} else if !limits.charge(key, now, fields) {
			refuse(seen, http.StatusTooManyRequests, "Wait until the limit resets.")
		} else {
			next.ServeHTTP(seen, withKey(r, key))
		}
		lines.add(id, key, r, seen.status, time.Since(now))
	})
}

func readPet(w http.ResponseWriter, r *http.Request) (*Pet, bool) {
	var sent struct {
		Name       string `json:"name"`
		CategoryID int64  `json:"categoryId"`
		Status     string `json:"status"`
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyMax))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&sent) != nil || sent.Name == "" || sent.CategoryID < 1 {
		return nil, false
	}
	switch sent.Status {
	case "":
		sent.Status = "available"
	case "available", "pending", "sold":
	default:
		return nil, false
	}
	return &Pet{Name: sent.Name, CategoryID: sent.CategoryID, Status: sent.Status}, true
}

// answer writes what was found with its entity tag, or 304 to a client that has it.
func answer(w http.ResponseWriter, r *http.Request, read func() (any, error)) {
	value, err := read()
	if err == errNotFound {
		refuse(w, http.StatusNotFound, "There is no such animal.")
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		fail(w, err)
		return
	}
	sum := sha1.Sum(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, body)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		fail(w, err)
		return
	}
	writeBody(w, status, body)
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func refuse(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"message": message})
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	refuse(w, http.StatusInternalServerError, "Something went wrong.")
}
