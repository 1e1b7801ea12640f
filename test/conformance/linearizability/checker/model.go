package main

import (
	"encoding/json"
	"fmt"

	"github.com/anishathalye/porcupine"
)

// State is one animal with its orders. A nil pet is one that is not there, before or after.
type State struct {
	pet    *Pet
	orders []Order
}

// moves says where an order may go from each status.
var moves = map[string][]string{
	"placed":   {"approved", "cancelled"},
	"approved": {"completed", "cancelled"},
}

// petStatusUnder says what the animal becomes with each status of its order.
var petStatusUnder = map[string]string{
	"placed": "pending", "approved": "pending", "completed": "sold", "cancelled": "available",
}

// model is one animal as the interface describes it, one operation after the other.
var model = porcupine.Model{
	Init: func() interface{} { return State{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		return step(state.(State), input.(Input), output.(*Output))
	},
	Equal: func(a, b interface{}) bool { return equal(a.(State), b.(State)) },
	DescribeOperation: func(input, output interface{}) string {
		return fmt.Sprintf("%s → %s", text(input), text(output))
	},
	DescribeState: func(state interface{}) string {
		return fmt.Sprintf("%s %v", text(state.(State).pet), state.(State).orders)
	},
}

// step gives the state after an operation, and whether it answers as it did. An operation without
// an answer may have had any.
func step(state State, input Input, output *Output) (bool, State) {
	if output == nil {
		next, _ := apply(state, input, Output{})
		return true, next
	}
	next, expected := apply(state, input, *output)
	return same(expected, *output), next
}

// apply gives the state after an operation and its answer. From the answer that really came it
// takes only ids that the service chose.
func apply(state State, input Input, told Output) (State, Output) {
	switch input.Kind {
	case "create":
		if state.pet != nil || len(state.orders) > 0 {
			return state, Output{} // An id is given once.
		}
		pet := Pet{*input.Name, *input.CategoryID, *input.Status}
		return State{&pet, nil}, Output{Status: 201, Pet: &pet}
	case "read":
		if state.pet == nil {
			return state, Output{Status: 404}
		}
		return state, Output{Status: 200, Pet: state.pet}
	case "list":
		if state.pet != nil && (input.Status == nil || *input.Status == state.pet.Status) {
			return state, Output{Status: 200, Pet: state.pet}
		}
		return state, Output{Status: 200}
	case "change", "remove":
		return applyToPet(state, input)
	case "order":
		return place(state, told)
	case "listOrders":
		next := state.withIDs(told.Orders)
		return next, Output{Status: 200, Orders: next.orders}
	case "move", "readOrder":
		return applyToOrder(state, input)
	}
	panic("no such operation: " + input.Kind)
}

func applyToPet(state State, input Input) (State, Output) {
	if state.pet == nil {
		return state, Output{Status: 404}
	}
	if input.IfMatch != nil && *input.IfMatch != *state.pet {
		return state, Output{Status: 412}
	}
	if input.Kind == "remove" {
		if state.isHeld() {
			return state, Output{Status: 409}
		}
		return State{nil, state.orders}, Output{Status: 204}
	}
	pet := *state.pet
	if input.Name != nil {
		pet.Name = *input.Name
	}
	if input.CategoryID != nil {
		pet.CategoryID = *input.CategoryID
	}
	if input.Status != nil {
		pet.Status = *input.Status
	}
	if pet.Status != state.pet.Status && state.isHeld() {
		return state, Output{Status: 409}
	}
	return State{&pet, state.orders}, Output{Status: 200, Pet: &pet}
}

func place(state State, told Output) (State, Output) {
	if state.pet == nil {
		return state, Output{Status: 404}
	}
	if state.pet.Status != "available" {
		return state, Output{Status: 409}
	}
	order := Order{0, "placed"}
	if told.Order != nil {
		order.ID = told.Order.ID
	}
	next := state.under(order.Status)
	next.orders = append(append([]Order{}, state.orders...), order)
	return next, Output{Status: 201, Order: &order}
}

func applyToOrder(state State, input Input) (State, Output) {
	at := state.find(input.OrderID)
	if at < 0 {
		return state, Output{Status: 404}
	}
	order := state.orders[at]
	if input.Kind == "readOrder" || *input.Status == order.Status {
		return state, Output{Status: 200, Order: &order}
	}
	for _, allowed := range moves[order.Status] {
		if allowed != *input.Status {
			continue
		}
		moved := Order{order.ID, allowed}
		next := state.under(allowed)
		next.orders = append([]Order{}, state.orders...)
		next.orders[at] = moved
		return next, Output{Status: 200, Order: &moved}
	}
	return state, Output{Status: 409}
}

// under gives the animal the status that goes with that of its order, if it is there.
func (state State) under(orderStatus string) State {
	if state.pet != nil {
		pet := *state.pet
		pet.Status = petStatusUnder[orderStatus]
		state.pet = &pet
	}
	return state
}

func (state State) isHeld() bool {
	for _, order := range state.orders {
		if len(moves[order.Status]) > 0 {
			return true
		}
	}
	return false
}

// find gives the place of an order, or -1.
func (state State) find(id int64) int {
	for at, order := range state.orders {
		if order.ID == id {
			return at
		}
	}
	return -1
}

// withIDs learns the ids of orders whose placing was not answered, from a list of all of them.
func (state State) withIDs(told []Order) State {
	if len(told) != len(state.orders) {
		return state
	}
	orders := append([]Order{}, state.orders...)
	for at := range orders {
		if orders[at].ID == 0 {
			orders[at].ID = told[at].ID
		}
	}
	state.orders = orders
	return state
}

func equal(a, b State) bool {
	return samePet(a.pet, b.pet) && sameOrders(a.orders, b.orders)
}

func same(a, b Output) bool {
	if (a.Order == nil) != (b.Order == nil) || a.Order != nil && *a.Order != *b.Order {
		return false
	}
	return a.Status == b.Status && samePet(a.Pet, b.Pet) && sameOrders(a.Orders, b.Orders)
}

func samePet(a, b *Pet) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameOrders(a, b []Order) bool {
	if len(a) != len(b) {
		return false
	}
	for at := range a {
		if a[at] != b[at] {
			return false
		}
	}
	return true
}

func text(value interface{}) string {
	if output, isOutput := value.(*Output); isOutput && output == nil {
		return "no answer"
	}
	bytes, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(bytes)
}
