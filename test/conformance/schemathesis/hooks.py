"""Facts that no schema can express: see CONTRIBUTING.md#conformance."""

import re

import requests
import schemathesis

NEXT = re.compile(r'[?&]cursor=([^&>]*)>; rel="next"')


# Parameters whose rules no schema can express: from comes before to, neither is older than the counts
# are kept, a mapping has a grammar, and a column of categories has names or ids.
RULED = {
    "/keys/{keyId}/usage": ("from", "to"),
    "/imports": ("statusMap", "unnamed", "categoryId"),
}


@schemathesis.serializer("text/csv", "application/x-ndjson")
def serialize_file(context, value):
    """Sends a generated file as it is."""
    return value if isinstance(value, (bytes, str)) else str(value)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes maxLength from headers with entity tags.

    Tags up to that length are certain to arrive. Longer ones are no error, since RFC 9110 ignores a
    tag that matches nothing, up to 16 KiB for all headers, beyond which the runtime refuses them.
    """
    for parameter in raw_schema["components"].get("parameters", {}).values():
        if parameter["name"] in ("If-Match", "If-None-Match"):
            del parameter["schema"]["maxLength"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces generated values with real ones.

    A cursor has a certain form, but hardly any text of that form is a cursor: a real one comes from
    the Link header of a page of the same list. Generated ones that violate the form stay.
    """
    # Without a change nothing ends a wait before its time: a run would take hours.
    if re.fullmatch("[0-9]+", str((case.query or {}).get("wait", ""))):
        case.query = {**case.query, "wait": 0}
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive:
        return
    # A generated tag never matches: the response would always be 412.
    kwargs.get("headers", {}).pop("If-Match", None)
    (case.headers or {}).pop("If-Match", None)
    # The run uses the first key, so it must neither end nor limit it.
    path = case.path_parameters or {}
    if case.method != "GET" and path.get("keyId") == 1:
        case.path_parameters = {**path, "keyId": 2}
    if case.method in ("POST", "PATCH") and case.operation.path in ("/keys", "/keys/{keyId}"):
        case.body = with_rules_of_keys(case.body)
    if case.method in ("POST", "PATCH") and isinstance(case.body, dict) and "url" in case.body:
        case.body = {**case.body, "url": "https://example.com/events"}
    if case.operation.path == "/pets/{petId}/profile" and isinstance(case.body, dict):
        case.body = with_past_dates(case.body)
    # Hardly any generated id is that of an animal that is still available, so some orders are for a new one.
    if case.operation.path == "/store/orders" and case.method == "POST" and isinstance(case.body, dict):
        if isinstance(case.body.get("petId"), int) and case.body["petId"] % 2 == 1:
            headers = kwargs.get("headers") or case.headers
            case.body = {**case.body, "petId": add_animal(case.operation.base_url, headers)}
    # A list by a part of a name is in the order of ids.
    if case.operation.path == "/pets" and "name" in (case.query or {}):
        case.query.pop("sort", None)
    for name in RULED.get(case.operation.path, ()):
        (case.query or {}).pop(name, None)
    if "cursor" not in (case.query or {}):
        return
    query = {name: value for name, value in case.query.items() if name != "cursor"}
    first = case.operation.Case(query={**query, "limit": 1}, path_parameters=case.path_parameters)
    sent = first.as_transport_kwargs(base_url=case.operation.base_url)
    sent["headers"] = kwargs.get("headers") or case.headers
    found = NEXT.search(requests.request(**sent, timeout=10).headers.get("Link", ""))
    case.query = {**query, "cursor": found[1]} if found else query


def add_animal(base_url, headers):
    """Adds an animal and returns its id."""
    named = {name: value for name, value in headers.items() if name.lower() == "authorization"}
    added = requests.post(f"{base_url}/pets", json={"name": "Rex", "categoryId": 1}, headers=named, timeout=10)
    return added.json()["id"]


def with_past_dates(profile):
    """Makes the dates of a generated profile ones that are over."""
    past = {name: "2025-01-31" for name in ("birthDate", "inCareSince") if profile.get(name) is not None}
    return {**profile, **past}


def with_rules_of_keys(body):
    """Makes a generated key follow the rules between its members and the clock."""
    if not isinstance(body, dict):
        return body
    key = dict(body)
    if key.get("expiresAt") is not None:
        key["expiresAt"] = "2999-12-31T23:59:59Z"
    if key.get("plan") != "enterprise":
        key.pop("perMinute", None)
        key.pop("perDay", None)
    else:
        key.setdefault("perMinute", 1_000_000)
        key.setdefault("perDay", 1_000_000)
    return key
