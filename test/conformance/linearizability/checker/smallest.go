package main

import (
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// smallest returns a small part of a history that no order explains: without the operations after
// the violation, and without the reads that it does not need.
func smallest(history []porcupine.Operation, timeout time.Duration) []porcupine.Operation {
	isViolation := func(part []porcupine.Operation) bool {
		return porcupine.CheckOperationsTimeout(model, part, timeout) == porcupine.Illegal
	}
	ends := make([]int64, 0, len(history))
	for _, operation := range history {
		if operation.Return != never {
			ends = append(ends, operation.Return)
		}
	}
	sort.Slice(ends, func(a, b int) bool { return ends[a] < ends[b] })
	first := sort.Search(len(ends), func(at int) bool { return isViolation(until(history, ends[at])) })
	if first == len(ends) {
		return history
	}
	part := until(history, ends[first])
	for at := len(part) - 1; at >= 0; at-- {
		if changes(part[at]) {
			continue
		}
		without := append(append([]porcupine.Operation{}, part[:at]...), part[at+1:]...)
		if isViolation(without) {
			part = without
		}
	}
	return part
}

// until returns the operations up to a time. Those still in progress then have an unknown outcome.
func until(history []porcupine.Operation, end int64) []porcupine.Operation {
	var part []porcupine.Operation
	for _, operation := range history {
		if operation.Call > end {
			continue
		}
		if operation.Return > end {
			if !changes(operation) {
				continue
			}
			operation.Return = never
			operation.Output = (*Output)(nil)
		}
		part = append(part, operation)
	}
	sort.Slice(part, func(a, b int) bool { return part[a].Return < part[b].Return })
	return part
}

// changes reports whether an operation may have changed the animal or its orders.
func changes(operation porcupine.Operation) bool {
	switch operation.Input.(Input).Kind {
	case "read", "list", "readOrder", "listOrders":
		return false
	}
	output := operation.Output.(*Output)
	return output == nil || output.Status < 300
}
