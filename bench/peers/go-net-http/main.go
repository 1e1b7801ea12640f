// The work of our service on net/http and mattn/go-sqlite3: `server PORT DATABASE`.
package main

import (
	"log"
	"net/http"
	"os"
	"strconv"

	"petstore/bench/go-net-http/fulljob"
)

func main() {
	database, err := fulljob.OpenDatabase(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/pets", func(w http.ResponseWriter, r *http.Request) {
		limit := 20
		if text := r.URL.Query().Get("limit"); text != "" {
			limit, _ = strconv.Atoi(text)
		}
		if limit < 1 || limit > 100 {
			fulljob.Refuse(w, http.StatusBadRequest, "limit must be from 1 to 100.")
			return
		}
		fulljob.Respond(w, r, func() (any, error) { return database.List(limit) })
	})
	mux.HandleFunc("GET /v1/pets/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
		fulljob.Respond(w, r, func() (any, error) { return database.Find(id) })
	})
	mux.HandleFunc("POST /v1/pets", func(w http.ResponseWriter, r *http.Request) {
		pet, ok := readPet(w, r)
		if !ok {
			fulljob.Refuse(w, http.StatusBadRequest, "Send name, categoryId and status.")
			return
		}
		fulljob.Create(w, r, database, pet)
	})
	log.Fatal(fulljob.Serve(os.Args[1], database, mux))
}

func readPet(w http.ResponseWriter, r *http.Request) (*fulljob.Pet, bool) {
	var sent struct {
		Name       string `json:"name"`
		CategoryID int64  `json:"categoryId"`
		Status     string `json:"status"`
	}
	if !fulljob.ReadBody(w, r, &sent) || sent.Name == "" || sent.CategoryID < 1 {
		return nil, false
	}
	switch sent.Status {
	case "":
		sent.Status = "available"
	case "available", "pending", "sold":
	default:
		return nil, false
	}
	return &fulljob.Pet{Name: sent.Name, CategoryID: sent.CategoryID, Status: sent.Status}, true
}
