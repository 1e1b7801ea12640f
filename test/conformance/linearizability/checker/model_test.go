package main

import (
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

const rex = `{"name":"Rex","categoryId":1,"status":"available"}`
const sold = `{"name":"Rex","categoryId":1,"status":"sold"}`
const pending = `{"name":"Rex","categoryId":1,"status":"pending"}`

// created is how every history here begins.
const created = `{"pet":1,"client":0,"call":0,"return":1,` +
	`"input":{"kind":"create","name":"Rex","categoryId":1,"status":"available"},` +
	`"output":{"status":201,"pet":` + rex + `}}`

// then gives a line: what was asked from one time to another, and what came back.
func then(times, input, output string) string {
	return `{"pet":1,"client":1,` + times + `,"input":` + input + `,"output":` + output + `}`
}

func checked(t *testing.T, lines ...string) ([]porcupine.Operation, porcupine.CheckResult) {
	t.Helper()
	histories, err := readHistory(strings.NewReader(created + "\n" + strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return histories[1], porcupine.CheckOperationsTimeout(model, histories[1], time.Second)
}

const sell = `{"kind":"change","status":"sold"}`
const sellAsSeen = `{"kind":"change","status":"sold","ifMatch":` + rex + `}`
const order = `{"kind":"order"}`
const ordered = `{"status":201,"order":{"id":7,"status":"placed"}}`
const cancel = `{"kind":"move","orderId":7,"status":"cancelled"}`
const cancelled = `{"status":200,"order":{"id":7,"status":"cancelled"}}`

func TestVerdicts(t *testing.T) {
	cases := []struct {
		name  string
		legal bool
		lines []string
	}{
		{"a read of what was written", true, []string{
			then(`"call":2,"return":3`, sell, `{"status":200,"pet":`+sold+`}`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+sold+`}`),
		}},
		{"a read of what was there before", false, []string{
			then(`"call":2,"return":3`, sell, `{"status":200,"pet":`+sold+`}`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"the same while the change is under way", true, []string{
			then(`"call":2,"return":5`, sell, `{"status":200,"pet":`+sold+`}`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"a list without the animal", false, []string{
			then(`"call":2,"return":3`, `{"kind":"list","status":"available"}`, `{"status":200}`),
		}},
		{"a list of others", true, []string{
			then(`"call":2,"return":3`, `{"kind":"list","status":"sold"}`, `{"status":200}`),
		}},
		{"two orders at once", false, []string{
			then(`"call":2,"return":9`, order, ordered),
			then(`"call":2,"return":9`, order, `{"status":201,"order":{"id":8,"status":"placed"}}`),
		}},
		{"two changes on what both had seen", false, []string{
			then(`"call":2,"return":9`, sellAsSeen, `{"status":200,"pet":`+sold+`}`),
			then(`"call":2,"return":9`, `{"kind":"remove","ifMatch":`+rex+`}`, `{"status":204}`),
		}},
		{"an animal removed under its order", false, []string{
			then(`"call":2,"return":3`, order, ordered),
			then(`"call":4,"return":5`, `{"kind":"remove"}`, `{"status":204}`),
		}},
		{"an animal that is back", false, []string{
			then(`"call":2,"return":3`, `{"kind":"remove"}`, `{"status":204}`),
			then(`"call":4,"return":5`, `{"kind":"list"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"an order that is cancelled frees the animal", true, []string{
			then(`"call":2,"return":3`, order, ordered),
			then(`"call":4,"return":5`, cancel, cancelled),
			then(`"call":6,"return":7`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"a change without an answer that was made", true, []string{
			then(`"call":2,"return":null`, sell, `null`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
			then(`"call":6,"return":7`, `{"kind":"read"}`, `{"status":200,"pet":`+sold+`}`),
		}},
		{"a change without an answer that was undone", false, []string{
			then(`"call":2,"return":null`, sell, `null`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+sold+`}`),
			then(`"call":6,"return":7`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"an order without an answer that a list tells of", true, []string{
			then(`"call":2,"return":null`, order, `null`),
			then(`"call":4,"return":5`, `{"kind":"listOrders"}`,
				`{"status":200,"orders":[{"id":7,"status":"placed"}]}`),
			then(`"call":6,"return":7`, cancel, cancelled),
		}},
		{"an order of an unknown id that is another one", false, []string{
			then(`"call":2,"return":3`, order, ordered),
			then(`"call":4,"return":5`, `{"kind":"listOrders"}`,
				`{"status":200,"orders":[{"id":8,"status":"placed"}]}`),
		}},
	}
	for _, one := range cases {
		if _, verdict := checked(t, one.lines...); (verdict == porcupine.Ok) != one.legal {
			t.Errorf("%s: %v", one.name, verdict)
		}
	}
}

func TestSmallestPart(t *testing.T) {
	history, verdict := checked(t,
		then(`"call":2,"return":3`, order, ordered),
		then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+pending+`}`),
		then(`"call":6,"return":7`, order, `{"status":409}`),
		then(`"call":8,"return":9`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		then(`"call":10,"return":11`, cancel, cancelled),
	)
	if verdict != porcupine.Illegal {
		t.Fatal(verdict)
	}
	part := smallest(history, time.Second)
	if len(part) != 3 || part[2].Call != 8 {
		t.Errorf("%v", part)
	}
}
