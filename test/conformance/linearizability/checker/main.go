// Command linearizability reads a history of operations on animals, one JSON object per line, and
// checks that some sequential order, with each operation between its call and its return, gives the
// same responses. It exits with 0 if so, 1 if not, and 2 if it cannot decide.
//
//	linearizability HISTORY [FOLDER]
//
// For each animal whose operations have no such order, it writes a page that shows them to FOLDER.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// timeout limits the search for one animal. A verdict takes a few milliseconds; the search is
// exponential only in the number of operations with an unknown outcome.
const timeout = 60 * time.Second

// shownMax is the number of operations printed per violation, the last ones; the page shows all.
const shownMax = 12

// violationsMax is the number of animals shown; one cause usually affects many.
const violationsMax = 3

func main() {
	if len(os.Args) < 2 {
		end("usage: linearizability HISTORY [FOLDER]")
	}
	folder := "."
	if len(os.Args) > 2 {
		folder = os.Args[2]
	}
	source, err := os.Open(os.Args[1])
	if err != nil {
		end(err.Error())
	}
	histories, err := readHistory(source)
	if err != nil {
		end(err.Error())
	}
	os.Exit(report(histories, folder))
}

func end(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}

func report(histories map[int64][]porcupine.Operation, folder string) int {
	pets := make([]int64, 0, len(histories))
	operations := 0
	for pet, history := range histories {
		pets = append(pets, pet)
		operations += len(history)
	}
	sort.Slice(pets, func(a, b int) bool { return pets[a] < pets[b] })
	status, violations := 0, 0
	for _, pet := range pets {
		switch porcupine.CheckOperationsTimeout(model, histories[pet], timeout) {
		case porcupine.Illegal:
			if violations++; violations <= violationsMax {
				show(pet, smallest(histories[pet], timeout), folder)
			}
			status = 1
		case porcupine.Unknown:
			fmt.Printf("animal %d: no verdict within %v\n", pet, timeout)
			if status == 0 {
				status = 2
			}
		}
	}
	if violations > violationsMax {
		fmt.Printf("and %d more animals\n", violations-violationsMax)
	}
	if status == 0 {
		fmt.Printf("%d operations on %d animals are linearizable\n", operations, len(pets))
	}
	return status
}

// show prints the end of a violation, and writes a page with the whole of it.
func show(pet int64, part []porcupine.Operation, folder string) {
	fmt.Printf("animal %d: no order of these %d operations explains the last response\n", pet, len(part))
	if len(part) > shownMax {
		fmt.Printf("  … %d earlier ones\n", len(part)-shownMax)
	}
	for at, operation := range part {
		if at < len(part)-shownMax {
			continue
		}
		returned := "never"
		if operation.Return != never {
			returned = fmt.Sprint(operation.Return)
		}
		fmt.Printf("  client %d, %d to %s: %s\n", operation.ClientId, operation.Call, returned,
			model.DescribeOperation(operation.Input, operation.Output))
	}
	_, info := porcupine.CheckOperationsVerbose(model, part, timeout)
	page := filepath.Join(folder, fmt.Sprintf("animal-%d.html", pet))
	if err := porcupine.VisualizePath(model, info, page); err != nil {
		fmt.Printf("  the page could not be written: %v\n", err)
		return
	}
	fmt.Printf("  %s\n", page)
}
