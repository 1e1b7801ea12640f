"""Calls every operation of the document through the generated client and checks the responses.

Arguments: the document, the base address, an API key. The generated package is `petstore_client`.
"""

import datetime
import importlib
import inspect
import itertools
import json
import re
import sys
import typing

from petstore_client import AuthenticatedClient

METHODS = ("post", "get", "patch", "delete")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T")
numbers = itertools.count(1)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def exact(value):
    """Parses times, because the client formats them differently from the service."""
    if isinstance(value, dict):
        return {name: exact(member) for name, member in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, str) and TIME.match(value):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


class RoundTrip:
    def __init__(self, document: dict, client: AuthenticatedClient) -> None:
        self.paths = document["paths"]
        self.client = client

    def operations(self):
        """All operations, in an order in which nothing is removed before it is read."""
        for method in METHODS:
            for path, item in self.paths.items():
                if method in item:
                    yield path, item[method]

    def example(self, operation: dict) -> dict | None:
        """The document's example as a body, changed so that it can be sent repeatedly."""
        if "requestBody" not in operation:
            return None
        media = next(iter(operation["requestBody"]["content"].values()))
        body = dict(media["example"])
        if "name" in body:
            body["name"] += f" {next(numbers)}"
        if "email" in body:
            body["email"] = f"{next(numbers)}{body['email']}"
        if "petId" in body:
            body["petId"] = self.add("/pets")
        return body

    def add(self, collection: str) -> int:
        return self.call(collection, self.paths[collection]["post"]).id

    def call(self, path: str, operation: dict):
        name = operation["operationId"]
        tag = snake(operation["tags"][0])
        module = importlib.import_module(f"petstore_client.api.{tag}.{snake(name)}")
        arguments = {}
        if found := re.match(r"([^{]+)/\{([^{}]+)\}", path):
            arguments[snake(found[2])] = self.add(found[1])
        if (body := self.example(operation)) is not None:
            hint = inspect.signature(module.sync_detailed).parameters["body"].annotation
            models = [model for model in typing.get_args(hint) or (hint,) if hasattr(model, "from_dict")]
            arguments["body"] = models[0].from_dict(body)
        response = module.sync_detailed(client=self.client, **arguments)
        success = next(int(status) for status in operation["responses"] if status.startswith("2"))
        assert response.status_code == success, f"{name}: {response.status_code} {response.content!r}"
        assert success == 204 or response.parsed is not None, f"{name}: no typed response"
        if success != 204:
            self.compare(name, json.loads(response.content), response.parsed)
        return response.parsed

    def compare(self, name: str, sent, parsed) -> None:
        """The typed value must contain exactly what the service sent."""
        typed = [item.to_dict() for item in parsed] if isinstance(parsed, list) else parsed.to_dict()
        assert exact(typed) == exact(sent), f"{name}: {sent} became {typed}"


def main() -> None:
    path, base_url, key = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    with AuthenticatedClient(base_url=base_url, token=key, raise_on_unexpected_status=True) as client:
        report(RoundTrip(document, client))


def report(trip: RoundTrip) -> None:
    called = []
    for path, operation in trip.operations():
        trip.call(path, operation)
        called.append(operation["operationId"])
    print(f"{len(called)} operations: {', '.join(called)}")


main()
