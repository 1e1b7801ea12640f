package fulljob

import (
	"database/sql"
	"errors"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const columns = "id, name, category_id, status"

var errNotFound = errors.New("not found")

// Pet is an animal as in the API.
type Pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

// Database keeps prepared statements. One connection is enough for one core and one writer.
type Database struct {
	connection       *sql.DB
	one, key, insert *sql.Stmt
	all, ofStatus    *sql.Stmt
	ofCategory       *sql.Stmt
	ofBoth           *sql.Stmt
}

// OpenDatabase opens a database of our service that no other process writes to.
func OpenDatabase(path string) (*Database, error) {
	settings := "?_journal_mode=WAL&_synchronous=FULL&_foreign_keys=on&_txlock=immediate"
	connection, err := sql.Open("sqlite3", "file:"+path+settings)
	if err != nil {
		return nil, err
	}
	connection.SetMaxOpenConns(1)
	opened := &Database{connection: connection}
	for statement, text := range map[**sql.Stmt]string{
		&opened.all:        pageWhere(""),
		&opened.ofStatus:   pageWhere("status = ? AND "),
		&opened.ofCategory: pageWhere("category_id = ? AND "),
		&opened.ofBoth:     pageWhere("category_id = ? AND status = ? AND "),
		&opened.one:        "SELECT " + columns + " FROM pets WHERE id = ?",
		&opened.key:        "SELECT id, per_minute, per_day, expires_at, revoked_at FROM api_keys WHERE hash = ?",
		&opened.insert: "INSERT INTO pets (name, name_folded, category_id, status, first_status, added_at, " +
			"added_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
	} {
		if *statement, err = connection.Prepare(text); err != nil {
			return nil, err
		}
	}
	return opened, nil
}

func pageWhere(filter string) string {
	return "SELECT " + columns + " FROM pets WHERE " + filter + "id > ? ORDER BY id LIMIT ?"
}

func (d *Database) query(asked ListQuery) (*sql.Rows, error) {
	switch {
	case asked.Status == "" && asked.CategoryID == 0:
		return d.all.Query(asked.After, asked.Limit)
	case asked.CategoryID == 0:
		return d.ofStatus.Query(asked.Status, asked.After, asked.Limit)
	case asked.Status == "":
		return d.ofCategory.Query(asked.CategoryID, asked.After, asked.Limit)
	default:
		return d.ofBoth.Query(asked.CategoryID, asked.Status, asked.After, asked.Limit)
	}
}

// list returns a page of animals by id.
func (d *Database) list(asked ListQuery) ([]Pet, error) {
	rows, err := d.query(asked)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	pets := make([]Pet, 0, asked.Limit)
	for rows.Next() {
		var pet Pet
		if err := rows.Scan(&pet.ID, &pet.Name, &pet.CategoryID, &pet.Status); err != nil {
			return nil, err
		}
		pets = append(pets, pet)
	}
	return pets, rows.Err()
}

// Find fails for an unknown animal, with an error that Respond recognizes.
func (d *Database) Find(id int64) (*Pet, error) {
	var pet Pet
	err := d.one.QueryRow(id).Scan(&pet.ID, &pet.Name, &pet.CategoryID, &pet.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errNotFound
	}
	return &pet, err
}

// create is one transaction, on disk when it returns.
func (d *Database) create(pet *Pet, keyID int64) error {
	folded, at := strings.ToLower(pet.Name), time.Now().UnixMilli()
	inserted, err := d.insert.Exec(
		pet.Name, folded, pet.CategoryID, pet.Status, pet.Status, at, keyID,
	)
	if err != nil {
		return err
	}
	pet.ID, err = inserted.LastInsertId()
	return err
}

func (d *Database) findKey(hash string) (*apiKey, error) {
	var key apiKey
	var expires, revoked sql.NullInt64
	row := d.key.QueryRow(hash)
	if err := row.Scan(&key.id, &key.perMinute, &key.perDay, &expires, &revoked); err != nil {
		return nil, err
	}
	if revoked.Valid || (expires.Valid && expires.Int64 <= time.Now().UnixMilli()) {
		return nil, errNotFound
	}
	return &key, nil
}
