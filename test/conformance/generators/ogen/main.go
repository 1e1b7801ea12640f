// Uses what ogen makes. Prints what works, as columns of the guide.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"petstore/generators/petstore"
)

type bearer struct{}

func (bearer) ApiKey(context.Context, petstore.OperationName) (petstore.ApiKey, error) {
	return petstore.ApiKey{Token: os.Getenv("PETSTORE_KEY")}, nil
}

func main() {
	ctx := context.Background()
	client, err := petstore.NewClient(os.Getenv("PETSTORE_URL"), bearer{})
	must(err)
	create := func(name string, categoryID int64) petstore.Pet {
		response, err := client.CreatePet(ctx, &petstore.NewPet{Name: name, CategoryId: categoryID}, petstore.CreatePetParams{})
		must(err)
		added, ok := response.(*petstore.PetHeaders)
		if !ok {
			log.Fatalf("not added: %#v", response)
		}
		return added.Response
	}

	pet, other := create("Willow", math.MaxInt64), create("Other", 3)
	column("create", pet.Status == petstore.PetStatusAvailable, "yes")
	response, err := client.ListPets(ctx, petstore.ListPetsParams{ID: []int64{pet.ID, other.ID}})
	must(err)
	listed, ok := response.(*petstore.PetsHeaders)
	column("list", ok && len(listed.Response) == 2, "yes")
	column("int64", listed.Response[0].CategoryId == math.MaxInt64, "exact")

	file, err := os.Open(os.Getenv("PETSTORE_PHOTO"))
	must(err)
	uploaded, err := client.AddPhoto(ctx, petstore.AddPhotoReq{Data: file}, petstore.AddPhotoParams{PetId: pet.ID})
	must(err)
	_, isPhoto := uploaded.(*petstore.AddPhotoCreated)
	column("upload", isPhoto, "yes")

	missing, err := client.GetPet(ctx, petstore.GetPetParams{PetId: 999_999})
	must(err)
	refused, ok := missing.(*petstore.GetPetNotFound)
	column("error", ok && refused.Response.Code == petstore.ErrorCodePetNotFound, "yes")
}

func column(name string, works bool, cell string) {
	if !works {
		cell = "no"
	}
	fmt.Printf("%s: %s\n", name, cell)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
