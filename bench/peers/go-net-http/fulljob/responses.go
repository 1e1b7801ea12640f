package fulljob

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"strconv"
)

const bodyMax = 65_536

// ReadBody decodes a JSON body without unknown members; false if it is invalid.
func ReadBody(w http.ResponseWriter, r *http.Request, value any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyMax))
	decoder.DisallowUnknownFields()
	return decoder.Decode(value) == nil
}

// Respond writes the result with its entity tag, or 304 to a client that already has it.
func Respond(w http.ResponseWriter, r *http.Request, read func() (any, error)) {
	value, err := read()
	if err == errNotFound {
		Refuse(w, http.StatusNotFound, "There is no such animal.")
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

// Create adds an animal and responds with it.
func Create(w http.ResponseWriter, r *http.Request, database *Database, pet *Pet) {
	if err := database.create(pet, r.Context().Value(keyOf).(*apiKey).id); err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Location", "/v1/pets/"+strconv.FormatInt(pet.ID, 10))
	writeJSON(w, http.StatusCreated, pet)
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

// Refuse responds with an error.
func Refuse(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"message": message})
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	Refuse(w, http.StatusInternalServerError, "Something went wrong.")
}
