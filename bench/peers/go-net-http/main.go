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
		query := r.URL.Query()
		asked := fulljob.NewListQuery()
		asked.Status = query.Get("status")
		if text := query.Get("categoryId"); text != "" {
			asked.CategoryID = wholeNumber(text)
		}
		if text := query.Get("limit"); text != "" {
			asked.Limit = int(wholeNumber(text))
		}
		if text := query.Get("cursor"); text != "" {
			asked.SetCursor(text)
		}
		fulljob.RespondList(w, r, database, asked)
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

// wholeNumber returns -1 for what is none.
func wholeNumber(text string) int64 {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1
	}
	return number
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
