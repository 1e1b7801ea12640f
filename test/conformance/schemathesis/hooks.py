"""Facts that no schema can express: see CONTRIBUTING.md#conformance."""

import re
import time

import requests
import schemathesis

NEXT = re.compile(r'[?&]cursor=([^&>]*)>; rel="next"')


# Parameters whose rules no schema can express: from comes before to, neither is older than the counts
# are kept, a mapping has a grammar, encodings have names, and a column of categories has names or ids, or there is none.
RULED = {
    "/keys/{keyId}/usage": ("from", "to"),
    "/store/orders": ("from", "to"),
    "/imports": ("statusMap", "categoryMap", "unnamed", "categoryId", "categoryIs", "encoding"),
}


@schemathesis.serializer("text/csv", "application/x-ndjson")
def serialize_file(context, value):
    """Sends a generated file as it is."""
    return value if isinstance(value, (bytes, str)) else str(value)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes maxLength from headers with entity tags and preferences.

    Values up to that length are certain to arrive. Longer ones are no error, up to 16 KiB for all headers,
    beyond which the runtime refuses them: RFC 9110 ignores a tag that matches nothing, and RFC 7240 a
    preference that nobody knows.
    """
    for parameter in raw_schema["components"].get("parameters", {}).values():
        if parameter["name"] in ("If-Match", "If-None-Match", "Prefer"):
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
    if isinstance(case.body, dict) and ("/stays" in case.operation.path or "/store/orders/" in case.operation.path):
        case.body = with_rules_of_stays(case.body)
    # A report has at most 370 days.
    if case.operation.path == "/reports/stays":
        case.query = {**case.query, "from": "2025-01-01", "to": "2025-06-30"}
    # A position that no event has reached is that of another history.
    if case.operation.path == "/events" and re.fullmatch("[0-9]+", str((case.query or {}).get("after", ""))):
        case.query = {**case.query, "after": 1}
    if case.operation.path.startswith("/people") and isinstance(case.body, dict) and "email" in case.body:
        case.body = {**case.body, "email": new_address()}
    with_real_ids(case, Caller(case.operation.base_url, kwargs.get("headers") or case.headers))
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


class Caller:
    """Calls the service with the key of a case, to add what the case needs."""

    enquiry = None

    def __init__(self, base_url, headers):
        self.base_url = base_url
        self.headers = {name: value for name, value in headers.items() if name.lower() == "authorization"}

    def call(self, method, path, body=None):
        sent = requests.request(method, self.base_url + path, json=body, headers=self.headers, timeout=10)
        sent.raise_for_status()
        return sent

    def animal(self):
        return self.call("POST", "/pets", {"name": "Rex", "categoryId": 1}).json()["id"]

    def removed_animal(self):
        animal = self.animal()
        self.call("DELETE", f"/pets/{animal}")
        return animal

    def completed_order(self):
        order = self.call("POST", "/store/orders", {"petId": self.animal()}).json()["id"]
        for status in ("approved", "completed"):
            self.call("PATCH", f"/store/orders/{order}", {"status": status})
        return order

    def category(self):
        return self.call("POST", "/categories", {"name": f"Dog {time.time_ns()}"}).json()["id"]

    def key(self):
        return self.call("POST", "/keys", {"name": "Website", "plan": "pro"}).json()["id"]

    def person(self):
        person = {"name": "Maria", "email": new_address(), "role": "viewer"}
        return self.call("POST", "/people", person).json()["id"]

    def only_enquiry(self):
        """The enquiry that this run sends on the public pages. Nobody may write one within 3 seconds."""
        if Caller.enquiry is None:
            animal = self.animal()
            self.call("PATCH", f"/pets/{animal}/profile", {"species": "dog", "published": True})
            form = self.base_url.removesuffix("/v1") + f"/adopt/{animal}/enquiry"
            stamp = re.search('name="stamp" value="([^"]*)"', requests.get(form, timeout=10).text)[1]
            time.sleep(3.5)
            fields = {"name": "Robin", "email": "robin@example.com", "message": "May we visit?"}
            more = {"consent": "yes", "website": "", "stamp": stamp}
            requests.post(form, data={**fields, **more}, timeout=10).raise_for_status()
            Caller.enquiry = self.call("GET", "/enquiries?limit=1").json()[0]["id"]
        return Caller.enquiry


def new_address():
    """An address that nobody has yet: each is taken only once."""
    return f"{time.time_ns()}@example.com"


def with_real_ids(case, caller):
    """Hardly any generated id is that of a record in the state that the call needs: every other one is."""
    makers = {"enquiryId": caller.only_enquiry, "personId": caller.person}
    if case.operation.path == "/pets/{petId}/restore":
        makers["petId"] = caller.removed_animal
    if case.operation.path == "/categories/{categoryId}" and case.method == "DELETE":
        makers["categoryId"] = caller.category
    if case.operation.path == "/store/orders/{orderId}/return":
        makers["orderId"] = caller.completed_order
    path = case.path_parameters or {}
    # Each rotates once: the next call of the same one is a conflict.
    if case.operation.path == "/keys/{keyId}/rotate" and isinstance(path.get("keyId"), int):
        case.path_parameters = {"keyId": caller.key()}
    for name, make in makers.items():
        if isinstance(path.get(name), int) and path[name] % 2 == 1:
            case.path_parameters = {**path, name: make()}
    if case.operation.path == "/store/orders" and case.method == "POST" and isinstance(case.body, dict):
        if isinstance(case.body.get("petId"), int) and case.body["petId"] % 2 == 1:
            case.body = {**case.body, "petId": caller.animal()}


def with_past_dates(profile):
    """Makes the dates of a generated profile ones that are over."""
    past = {name: "2025-01-31" for name in ("birthDate", "inCareSince") if profile.get(name) is not None}
    return {**profile, **past}


def with_rules_of_stays(body):
    """Makes the dates of a generated stay or order ones that are over, and drops those that need another member."""
    stay = dict(body)
    for name in ("intakeDate", "outcomeDate", "completedOn", "date"):
        if stay.get(name) is not None:
            stay[name] = "2025-01-31"
    if stay.get("outcomeType") is None or stay.get("outcomeDate") is None:
        stay.pop("outcomeDate", None)
    if stay.get("status") != "completed":
        stay.pop("completedOn", None)
    return stay


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
