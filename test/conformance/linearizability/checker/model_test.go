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

// created is the first line of every history here.
const created = `{"pet":1,"client":0,"call":0,"return":1,` +
	`"input":{"kind":"create","name":"Rex","categoryId":1,"status":"available"},` +
	`"output":{"status":201,"pet":` + rex + `}}`

// then returns a line: the times of an operation, its input and its output.
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
		{"a read of the written value", true, []string{
			then(`"call":2,"return":3`, sell, `{"status":200,"pet":`+sold+`}`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+sold+`}`),
		}},
		{"a stale read after the change", false, []string{
			then(`"call":2,"return":3`, sell, `{"status":200,"pet":`+sold+`}`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"a stale read during the change", true, []string{
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
		{"two conditional changes on the same state", false, []string{
			then(`"call":2,"return":9`, sellAsSeen, `{"status":200,"pet":`+sold+`}`),
			then(`"call":2,"return":9`, `{"kind":"remove","ifMatch":`+rex+`}`, `{"status":204}`),
		}},
		{"a removal despite an open order", false, []string{
			then(`"call":2,"return":3`, order, ordered),
			then(`"call":4,"return":5`, `{"kind":"remove"}`, `{"status":204}`),
		}},
		{"an animal that reappears after its removal", false, []string{
			then(`"call":2,"return":3`, `{"kind":"remove"}`, `{"status":204}`),
			then(`"call":4,"return":5`, `{"kind":"list"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"a cancelled order that frees its animal", true, []string{
			then(`"call":2,"return":3`, order, ordered),
			then(`"call":4,"return":5`, cancel, cancelled),
			then(`"call":6,"return":7`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"a change of unknown outcome that takes effect late", true, []string{
			then(`"call":2,"return":null`, sell, `null`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
			then(`"call":6,"return":7`, `{"kind":"read"}`, `{"status":200,"pet":`+sold+`}`),
		}},
		{"a change of unknown outcome that is undone", false, []string{
			then(`"call":2,"return":null`, sell, `null`),
			then(`"call":4,"return":5`, `{"kind":"read"}`, `{"status":200,"pet":`+sold+`}`),
			then(`"call":6,"return":7`, `{"kind":"read"}`, `{"status":200,"pet":`+rex+`}`),
		}},
		{"an order of unknown outcome that a list shows", true, []string{
			then(`"call":2,"return":null`, order, `null`),
			then(`"call":4,"return":5`, `{"kind":"listOrders"}`,
				`{"status":200,"orders":[{"id":7,"status":"placed"}]}`),
			then(`"call":6,"return":7`, cancel, cancelled),
		}},
		{"a list that shows a different order id", false, []string{
			then(`"call":2,"return":3`, order, ordered),
			then(`"call":4,"return":5`, `{"kind":"listOrders"}`,
				`{"status":200,"orders":[{"id":8,"status":"placed"}]}`),
		}},
	}
	for _, example := range cases {
		if _, verdict := checked(t, example.lines...); (verdict == porcupine.Ok) != example.legal {
			t.Errorf("%s: %v", example.name, verdict)
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
