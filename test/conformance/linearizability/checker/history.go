package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/anishathalye/porcupine"
)

// Pet is an animal as the interface shows it, without its id.
type Pet struct {
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

// Order is an adoption of the animal. Its id is 0 while no response has reported it.
type Order struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

// Input is a client's operation on one animal. Absent members were not sent.
type Input struct {
	Kind string `json:"kind"`
	// The members of a create or a change request.
	Name       *string `json:"name,omitempty"`
	CategoryID *int64  `json:"categoryId,omitempty"`
	// Also the filter of a list, and the new status of an order.
	Status *string `json:"status,omitempty"`
	// The state of the animal that the request's If-Match entity tag stands for.
	IfMatch *Pet  `json:"ifMatch,omitempty"`
	OrderID int64 `json:"orderId,omitempty"`
}

// Output is the response. A read that does not return the animal has no pet.
type Output struct {
	Status int     `json:"status"`
	Pet    *Pet    `json:"pet,omitempty"`
	Order  *Order  `json:"order,omitempty"`
	Orders []Order `json:"orders,omitempty"`
}

// Line is one operation on one animal, as the recorder noted it.
type Line struct {
	Pet    int64 `json:"pet"`
	Client int   `json:"client"`
	// Nanoseconds of one monotonic clock.
	Call int64 `json:"call"`
	// Absent, like the output, if the outcome is unknown.
	Return *int64  `json:"return"`
	Input  Input   `json:"input"`
	Output *Output `json:"output"`
}

// never is the return time of an unknown outcome: the operation may take effect until the end.
const never = math.MaxInt64

// readHistory returns the operations on each animal.
func readHistory(source io.Reader) (map[int64][]porcupine.Operation, error) {
	histories := map[int64][]porcupine.Operation{}
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var line Line
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if (line.Return == nil) != (line.Output == nil) {
			return nil, fmt.Errorf("line %d has a return without an output, or the reverse", number)
		}
		histories[line.Pet] = append(histories[line.Pet], operationOf(line))
	}
	return histories, lines.Err()
}

func operationOf(line Line) porcupine.Operation {
	end := int64(never)
	if line.Return != nil {
		end = *line.Return
	}
	return porcupine.Operation{
		ClientId: line.Client,
		Input:    line.Input,
		Call:     line.Call,
		Output:   line.Output,
		Return:   end,
	}
}
