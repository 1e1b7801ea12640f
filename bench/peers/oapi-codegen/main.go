// The server that oapi-codegen generates from openapi.json, with the work of go-net-http: `server PORT DATABASE`.
package main

//go:generate go tool oapi-codegen -config oapi-codegen.yaml ../../../openapi.json

import (
	"log"
	"net/http"
	"os"

	"petstore/bench/go-net-http/fulljob"
	"petstore/bench/oapi-codegen/build/api"
)

// pets implements the operations of the document.
type pets struct {
	database *fulljob.Database
}

func (p pets) ListPets(w http.ResponseWriter, r *http.Request, params api.ListPetsParams) {
	asked := fulljob.NewListQuery()
	if params.Status != nil {
		asked.Status = string(*params.Status)
	}
	if params.CategoryId != nil {
		asked.CategoryID = *params.CategoryId
	}
	if params.Limit != nil {
		asked.Limit = int(*params.Limit)
	}
	if params.Cursor != nil {
		asked.SetCursor(*params.Cursor)
	}
	fulljob.RespondList(w, r, p.database, asked)
}

func (p pets) GetPet(w http.ResponseWriter, r *http.Request, id int64, _ api.GetPetParams) {
	fulljob.Respond(w, r, func() (any, error) { return p.database.Find(id) })
}

func (p pets) CreatePet(w http.ResponseWriter, r *http.Request, _ api.CreatePetParams) {
	status := api.PetStatusAvailable
	sent := api.NewPet{Status: &status}
	if !fulljob.ReadBody(w, r, &sent) || sent.Name == "" || sent.CategoryId < 1 ||
		sent.Status == nil || !sent.Status.Valid() {
		fulljob.Refuse(w, http.StatusBadRequest, "Send name, categoryId and status.")
		return
	}
	fulljob.Create(w, r, p.database, &fulljob.Pet{
		Name: sent.Name, CategoryID: sent.CategoryId, Status: string(*sent.Status),
	})
}

func main() {
	database, err := fulljob.OpenDatabase(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	options := api.StdHTTPServerOptions{
		BaseURL: "/v1",
		ErrorHandlerFunc: func(w http.ResponseWriter, _ *http.Request, err error) {
			fulljob.Refuse(w, http.StatusBadRequest, err.Error())
		},
	}
	handler := api.HandlerWithOptions(pets{database}, options)
	log.Fatal(fulljob.Serve(os.Args[1], database, handler))
}
