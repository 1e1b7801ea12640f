package main

import (
	"encoding/json"
	"fmt"

	"github.com/anishathalye/porcupine"
)

// State is one animal with its orders. The pet is nil before its creation and after its removal.
type State struct {
	pet    *Pet
	orders []Order
}

// moves lists the statuses that an order may move to from each status.
var moves = map[string][]string{
	"placed":   {"approved", "cancelled"},
	"approved": {"completed", "cancelled"},
}

// petStatusUnder maps the status of an order to the status that it gives its animal.
var petStatusUnder = map[string]string{
	"placed": "pending", "approved": "pending", "completed": "sold", "cancelled": "available",
}

// model is the sequential behaviour of one animal, as the interface describes it.
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

// step returns the next state, and whether the model's response equals the observed one. An unknown
// outcome matches any response.
func step(state State, input Input, output *Output) (bool, State) {
	if output == nil {
		next, _ := apply(state, input, Output{})
		return true, next
	}
	next, expected := apply(state, input, *output)
	return same(expected, *output), next
}

// apply returns the next state and the expected response. From the observed response it takes only
// the ids that the service chose.
func apply(state State, input Input, observed Output) (State, Output) {
	switch input.Kind {
	case "create":
		if state.pet != nil || len(state.orders) > 0 {
			return state, Output{} // An id is used only once.
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
		return place(state, observed)
	case "listOrders":
		next := state.withIDs(observed.Orders)
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

func place(state State, observed Output) (State, Output) {
	if state.pet == nil {
		return state, Output{Status: 404}
	}
	if state.pet.Status != "available" {
		return state, Output{Status: 409}
	}
	order := Order{0, "placed"}
	if observed.Order != nil {
		order.ID = observed.Order.ID
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

// under sets the animal's status to the one that its order implies, if the animal exists.
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

// find returns the index of an order, or -1.
func (state State) find(id int64) int {
	for at, order := range state.orders {
		if order.ID == id {
			return at
		}
	}
	return -1
}

// withIDs takes the ids of orders whose placing had an unknown outcome from a list of all orders.
func (state State) withIDs(observed []Order) State {
	if len(observed) != len(state.orders) {
		return state
	}
	orders := append([]Order{}, state.orders...)
	for at := range orders {
		if orders[at].ID == 0 {
			orders[at].ID = observed[at].ID
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
		return "no response"
	}
	bytes, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(bytes)
}
