// PocketBase with the animals of the benchmark: `server fill DATABASE` prepares a data folder and
// prints a token, then `server serve` serves; both with `--dir FOLDER`.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
	"github.com/spf13/cobra"
)

// More than a run can send: the limit is counted but never reached.
const unreached = 999_999_999

func main() {
	app := pocketbase.NewWithConfig(pocketbase.Config{DBConnect: connect})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		// It would open a browser to create the first administrator.
		e.InstallerFunc = nil
		return e.Next()
	})
	app.RootCmd.AddCommand(&cobra.Command{
		Use:  "fill DATABASE",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return fill(app, args[0]) },
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// connect connects as PocketBase does, except that records are on disk before the response (its
// default, NORMAL, may lose the last of them in a power failure). Its log is unchanged.
func connect(path string) (*dbx.DB, error) {
	if strings.HasSuffix(path, "auxiliary.db") {
		return core.DefaultDBConnect(path)
	}
	pragmas := []string{
		"busy_timeout(10000)", "journal_mode(WAL)", "journal_size_limit(200000000)",
		"synchronous(FULL)", "foreign_keys(ON)", "temp_store(MEMORY)", "cache_size(-32000)",
	}
	return dbx.Open("sqlite", path+"?_pragma="+strings.Join(pragmas, "&_pragma="))
}

// fill creates the collection with the animals of our database, a user and a limit.
func fill(app core.App, database string) error {
	if err := app.Save(petsCollection()); err != nil {
		return err
	}
	if err := copyAnimals(app, database); err != nil {
		return err
	}
	limits := &app.Settings().RateLimits
	limits.Enabled = true
	limits.Rules = []core.RateLimitRule{{Label: "/api/", MaxRequests: unreached, Duration: 60}}
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	user := core.NewRecord(users)
	user.SetEmail("bench@example.com")
	user.SetRandomPassword()
	if err := app.Save(user); err != nil {
		return err
	}
	token, err := user.NewAuthToken()
	if err != nil {
		return err
	}
	fmt.Println(token)
	return nil
}

// petsCollection has our fields and indexes; anyone with a token may read and add.
func petsCollection() *core.Collection {
	pets := core.NewBaseCollection("pets")
	signedIn := types.Pointer(`@request.auth.id != ""`)
	pets.ListRule, pets.ViewRule, pets.CreateRule = signedIn, signedIn, signedIn
	pets.Fields.Add(
		&core.TextField{Name: "name", Required: true, Max: 255},
		&core.NumberField{Name: "categoryId", Required: true, OnlyInt: true},
		&core.SelectField{
			Name: "status", Required: true, MaxSelect: 1,
			Values: []string{"available", "pending", "sold"},
		},
	)
	pets.AddIndex("pets_by_status", false, "status", "")
	pets.AddIndex("pets_by_category", false, "categoryId", "")
	pets.AddIndex("pets_by_category_and_status", false, "categoryId, status", "")
	return pets
}

// copyAnimals pads the numeric ids to the 15 characters that PocketBase requires.
func copyAnimals(app core.App, database string) error {
	// ATTACH affects one connection, so this uses the pool that has only one.
	db := app.NonconcurrentDB()
	if _, err := db.NewQuery("ATTACH {:path} AS ours").Bind(dbx.Params{"path": database}).Execute(); err != nil {
		return err
	}
	_, err := db.NewQuery(`
		INSERT INTO pets (id, name, categoryId, status)
		SELECT printf('%015d', id), name, category_id, status FROM ours.pets ORDER BY id
	`).Execute()
	return err
}
