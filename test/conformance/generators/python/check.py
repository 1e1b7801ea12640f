"""Uses what openapi-generator makes for Python. Prints what works, as columns of the guide."""

import json
import os

from openapi_client import AnimalsApi, ApiClient, ApiException, Configuration, NewPet, PhotosApi

LARGEST = 9223372036854775807
configuration = Configuration(host=os.environ["PETSTORE_URL"], access_token=os.environ["PETSTORE_KEY"])
client = ApiClient(configuration)
animals = AnimalsApi(client)


def column(name: str, works: bool, cell: str = "yes") -> None:
    print(f"{name}: {cell if works else 'no'}")


pet = animals.create_pet(NewPet(name="Willow", category_id=LARGEST))
other = animals.create_pet(NewPet(name="Other", category_id=3))
column("create", pet.status == "available")
listed = animals.list_pets(id=[pet.id, other.id])
column("list", len(listed) == 2)
column("int64", listed[0].category_id == LARGEST, "exact")
with open(os.environ["PETSTORE_PHOTO"], "rb") as photo:
    added = PhotosApi(client).add_photo(pet.id, photo.read())
column("upload", added.width == 60)
try:
    animals.get_pet(999_999)
    column("error", False)
except ApiException as error:
    column("error", json.loads(error.body)["code"] == "pet_not_found")
