package fulljob

import (
	"net/http"
	"strconv"
)

const pageSize, pageMax = 20, 100

// ListQuery is what a request asks of the list; an empty status and category 0 filter nothing.
type ListQuery struct {
	Status     string
	CategoryID int64
	After      int64
	Limit      int
}

// NewListQuery asks for a first page.
func NewListQuery() ListQuery { return ListQuery{Limit: pageSize} }

// SetCursor takes the cursor of a link.
func (q *ListQuery) SetCursor(text string) {
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		after = -1
	}
	q.After = after
}

func (q ListQuery) isValid() bool {
	switch q.Status {
	case "", "available", "pending", "sold":
	default:
		return false
	}
	return q.CategoryID >= 0 && q.After >= 0 && q.Limit >= 1 && q.Limit <= pageMax
}

// next is the address of the page after the animal with this id.
func (q ListQuery) next(last int64) string {
	address := "http://127.0.0.1/v1/pets?limit=" + strconv.Itoa(q.Limit) +
		"&cursor=" + strconv.FormatInt(last, 10)
	if q.Status != "" {
		address += "&status=" + q.Status
	}
	if q.CategoryID != 0 {
		address += "&categoryId=" + strconv.FormatInt(q.CategoryID, 10)
	}
	return address
}

// RespondList writes a page, and links a full one to the next.
func RespondList(w http.ResponseWriter, r *http.Request, database *Database, asked ListQuery) {
	if !asked.isValid() {
		Refuse(w, http.StatusBadRequest, "A parameter is invalid.")
		return
	}
	Respond(w, r, func() (any, error) {
		pets, err := database.list(asked)
		if len(pets) == asked.Limit {
			w.Header().Set("Link", "<"+asked.next(pets[len(pets)-1].ID)+`>; rel="next"`)
		}
		return pets, err
	})
}
