"""Uses what openapi-python-client makes. Prints what works, as columns of the guide."""

import os
from typing import TypeVar

from petstore_client import AuthenticatedClient
from petstore_client.api.animals import create_pet, get_pet, list_pets
from petstore_client.api.events import list_events
from petstore_client.api.orders import place_order, update_order
from petstore_client.api.photos import add_photo
from petstore_client.models import (
    Error,
    EventPositionType1,
    NewOrder,
    NewPet,
    OrderChange,
    PetEvent,
)
from petstore_client.types import File

LARGEST = 9223372036854775807
client = AuthenticatedClient(
    base_url=os.environ["PETSTORE_URL"], token=os.environ["PETSTORE_KEY"], raise_on_unexpected_status=True
)

T = TypeVar("T")


def found(response: T | Error | None) -> T:
    """Returns a response that is no error."""
    if response is None or isinstance(response, Error):
        raise RuntimeError(response)
    return response


def column(name: str, works: bool, cell: str = "yes") -> None:
    print(f"{name}: {cell if works else 'no'}")


pet = found(create_pet.sync(client=client, body=NewPet(name="Willow", category_id=LARGEST)))
column("create", pet.status == "available")
other = found(create_pet.sync(client=client, body=NewPet(name="Other", category_id=3)))

listed = found(list_pets.sync(client=client, id=[pet.id, other.id]))
column("list", len(listed) == 2)
column("int64", listed[0].category_id == LARGEST, "exact")

order = found(place_order.sync(client=client, body=NewOrder(pet_id=pet.id, adopter="Jordan")))
erased = found(update_order.sync(order.id, client=client, body=OrderChange(adopter=None)))
column("null", not erased.adopter)

events = found(list_events.sync(client=client, after=0))
none = found(list_events.sync(client=client, after=EventPositionType1.LATEST))
column("after", len(events) > 0 and len(none) == 0)
column("events", isinstance(events[0], PetEvent) and events[0].data.name == "Willow")

with open(os.environ["PETSTORE_PHOTO"], "rb") as photo:
    added = found(add_photo.sync(pet.id, client=client, body=File(payload=photo)))
column("upload", added.width == 60)
missing = get_pet.sync(999999, client=client)
column("error", isinstance(missing, Error) and missing.code == "pet_not_found")
