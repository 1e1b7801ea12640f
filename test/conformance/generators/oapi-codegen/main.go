// Uses what oapi-codegen makes. Prints what works, as columns of the guide.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"

	"github.com/oapi-codegen/nullable"

	"petstore/generators/petstore"
)

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_KEY"))
		return nil
	}
	client, err := petstore.NewClientWithResponses(os.Getenv("PETSTORE_URL"), petstore.WithRequestEditorFn(withKey))
	must(err)

	added, err := client.CreatePetWithResponse(ctx, nil, petstore.NewPet{Name: "Willow", CategoryId: math.MaxInt64})
	must(err)
	pet := added.JSON201
	column("create", pet.Status == petstore.PetStatusAvailable, "yes")
	other, err := client.CreatePetWithResponse(ctx, nil, petstore.NewPet{Name: "Other", CategoryId: 3})
	must(err)

	ids := []int64{pet.Id, other.JSON201.Id}
	listed, err := client.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Id: &ids})
	must(err)
	column("list", len(*listed.JSON200) == 2, "yes")
	column("int64", (*listed.JSON200)[0].CategoryId == math.MaxInt64, "exact")

	adopter := "Jordan"
	placed, err := client.PlaceOrderWithResponse(ctx, nil, petstore.NewOrder{PetId: pet.Id, Adopter: &adopter})
	must(err)
	change := petstore.OrderChange{Adopter: nullable.NewNullNullable[string]()}
	erased, err := client.UpdateOrderWithResponse(ctx, placed.JSON201.Id, nil, change)
	must(err)
	column("null", erased.JSON200 != nil && erased.JSON200.Adopter == nil, "yes")

	var start, latest petstore.EventPosition
	must(start.FromEventPosition0(0))
	must(latest.FromEventPosition1("latest"))
	events, err := client.ListEventsWithResponse(ctx, &petstore.ListEventsParams{After: &start})
	must(err)
	none, err := client.ListEventsWithResponse(ctx, &petstore.ListEventsParams{After: &latest})
	must(err)
	column("after", len(*events.JSON200) > 0 && len(*none.JSON200) == 0, "yes")
	value, err := (*events.JSON200)[0].ValueByDiscriminator()
	must(err)
	event, ok := value.(petstore.PetEvent)
	column("events", ok && event.Data.Name == "Willow", "yes")

	file, err := os.Open(os.Getenv("PETSTORE_PHOTO"))
	must(err)
	uploaded, err := client.AddPhotoWithBodyWithResponse(ctx, pet.Id, nil, "application/octet-stream", file)
	must(err)
	column("upload", uploaded.JSON201 != nil && uploaded.JSON201.Width == 60, "yes")
	missing, err := client.GetPetWithResponse(ctx, 999_999, nil)
	must(err)
	column("error", missing.JSON404 != nil && string(missing.JSON404.Code) == "pet_not_found", "yes")
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
