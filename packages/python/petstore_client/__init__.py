"""Reads and changes the animals of a Petstore service.

Records are dicts as the service sends them, and integers are exact. The only dependency is httpx.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import re
import time
import uuid
from typing import Any, Callable, Iterator, Mapping
from urllib.parse import parse_qs, quote, urlsplit

import httpx

__version__ = "1.0.0"
__all__ = ["Petstore", "PetstoreError", "WebhookVerificationError", "verify_webhook"]

Record = dict[str, Any]
OnRetry = Callable[["PetstoreError", float], None]

_PAGE_MAX = 100
_RETRIES = 2
_LONGEST_WAIT = 30.0
_FIRST_WAIT = 0.25
# Proxies often give up after 30 seconds.
_EVENT_WAIT = 25
_AHEAD = 0.1
_PASSING = {"connection_lost", "timeout", "service_unavailable", "idempotency_in_progress"}
_TOLERANCE = 300


class PetstoreError(Exception):
    """A call that failed: `code` says why, `status` is None if no response arrived."""

    def __init__(
        self,
        message: str,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


class WebhookVerificationError(Exception):
    """A request that the service did not send, or not just now. Respond with 400 and do nothing."""


class Petstore:
    """A client of a service. `base_url` ends in /v1."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        on_retry: OnRetry | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        if not re.fullmatch(r"https?://\S+/v1/?", base_url or ""):
            raise ValueError("base_url must be the address of the service with /v1: https://petstore.example/v1")
        self._root = base_url.rstrip("/")
        self._key = api_key
        self._http = http or httpx.Client(timeout=timeout)
        self._on_retry = on_retry
        self.pets = Pets(self, "/pets")
        self.animals = Group(self, "/animals")
        self.listings = Group(self, "/listings")
        self.categories = Group(self, "/categories")
        self.orders = Group(self, "/store/orders")
        self.enquiries = Group(self, "/enquiries")
        self.imports = Group(self, "/imports")
        self.keys = Group(self, "/keys")
        self.people = Group(self, "/people")
        self.webhooks = Group(self, "/webhooks")
        self.channels = Group(self, "/channels")
        self.audit = Group(self, "/audit")
        self.events = Events(self, "/events")

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        **query: Any,
    ) -> Any:
        """Sends a request and returns the body of its response: None without one, bytes unless it is JSON."""
        if method == "POST":
            idempotency_key = idempotency_key or str(uuid.uuid4())
        headers = {"Idempotency-Key": idempotency_key, "If-Match": if_match}
        return _body(self._send(method, path + _search(query), body, headers))

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Petstore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(
        self,
        method: str,
        target: str,
        body: Mapping[str, Any] | bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
        endless: bool = False,
    ) -> httpx.Response:
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        # A change may have been made although no response says so.
        repeatable = method == "GET" or "Idempotency-Key" in sent
        failures = 0
        while True:
            try:
                return self._attempt(method, target, body, sent)
            except PetstoreError as error:
                wait = _wait_after(error, failures, repeatable, endless)
                if wait is None:
                    raise
                if self._on_retry is not None:
                    self._on_retry(error, wait)
            failures += 1
            time.sleep(wait)

    def _attempt(
        self,
        method: str,
        target: str,
        body: Mapping[str, Any] | bytes | None,
        headers: Mapping[str, str],
    ) -> httpx.Response:
        sent = {"Accept": "application/json", **headers}
        if self._key is not None:
            sent["Authorization"] = f"Bearer {self._key}"
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if content is not None:
            sent["Content-Type"] = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        url = target if target.startswith("http") else self._root + target
        try:
            response = self._http.request(method, url, content=content, headers=sent)
        except httpx.TimeoutException as error:
            raise PetstoreError(f"No response from {urlsplit(url).netloc} in time.", "timeout") from error
        except httpx.TransportError as error:
            message = f"Could not reach {urlsplit(url).netloc}: {error}"
            raise PetstoreError(message, "connection_lost") from error
        if response.status_code >= 300:
            raise _refusal(response)
        return response


class Group:
    """The records under a path, such as `store.categories`."""

    def __init__(self, store: Petstore, path: str) -> None:
        self._store = store
        self._path = path

    def list(self, **filters: Any) -> Iterator[Record]:
        """Yields every record that fits, page by page."""
        target: str | None = self._path + _search({"limit": _PAGE_MAX, **filters})
        while target is not None:
            response = self._store._send("GET", target)
            yield from _body(response)
            target = response.links.get("next", {}).get("url")

    def get(self, id: int) -> Record:
        """Returns the record with this id."""
        return self._store.request("GET", f"{self._path}/{_id(id)}")

    def create(self, record: Mapping[str, Any], *, idempotency_key: str | None = None) -> Record:
        """Adds a record and returns it."""
        return self._store.request("POST", self._path, record, idempotency_key=idempotency_key)

    def update(self, id: int, change: Mapping[str, Any], *, if_match: str | None = None) -> Record:
        """Changes the members that `change` has, and returns the record."""
        return self._store.request("PATCH", f"{self._path}/{_id(id)}", change, if_match=if_match)

    def delete(self, id: int, *, if_match: str | None = None) -> None:
        """Removes the record with this id."""
        self._store.request("DELETE", f"{self._path}/{_id(id)}", if_match=if_match)


class Pets(Group):
    """`store.pets`: the animals."""

    def get(self, id: int) -> Record:
        """Returns the animal with this id."""
        # GET /pets/{petId} is deprecated.
        for pet in self._store.request("GET", "/pets", id=_id(id)):
            return pet
        raise PetstoreError(f"There is no animal with the id {id}.", "pet_not_found", 404)

    def add_photo(self, id: int, file: bytes, **query: Any) -> Record:
        """Adds a photo, a JPEG, PNG or WebP file, and returns it."""
        return self._store.request("POST", f"{self._path}/{_id(id)}/photos", file, **query)


class Events(Group):
    """`store.events`: what has changed."""

    def position(self) -> int:
        """Returns the position of the newest event: what to give to `follow`, to miss nothing."""
        return _position(self._store._send("GET", "/events?after=latest"))

    def follow(self, after: int | None = None, **filters: Any) -> Iterator[Record]:
        """Yields each event soon after it happened, in order, none missed and none repeated, for ever.

        Limits, lost connections and pauses of the service only delay it. Raises `events_expired` if events after
        `after` have been removed, and `api_key_banned`.
        """
        while True:
            query = {"limit": _PAGE_MAX, **filters, "after": after, "wait": _EVENT_WAIT}
            response = self._store._send("GET", self._path + _search(query), endless=True)
            events = _body(response)
            yield from events
            after = _position(response)
            if 0 < len(events) < query["limit"]:
                time.sleep(_rest_after(response.headers))


def verify_webhook(headers: Mapping[str, str], body: bytes | str, secret: str) -> Record:
    """Checks that a request comes from the service (Standard Webhooks 1.0), and returns its event.

    `body` is exactly what arrived; `secret` starts with `whsec_`. Raises WebhookVerificationError.
    """
    values = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (values[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = time.time() - int(timestamp)
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except KeyError as missing:
        raise WebhookVerificationError(f"The header {missing.args[0]} is missing.") from missing
    except ValueError as error:
        raise WebhookVerificationError("The timestamp or the secret is malformed.") from error
    if abs(age) > _TOLERANCE:
        raise WebhookVerificationError("The timestamp is not of the last or next five minutes.")
    content = body.encode() if isinstance(body, str) else body
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")):
        raise WebhookVerificationError("No signature fits the body and the secret.")
    return json.loads(content)


def _body(response: httpx.Response) -> Any:
    if not response.content:
        return None
    is_json = "json" in response.headers.get("Content-Type", "")
    return json.loads(response.content) if is_json else response.content


def _refusal(response: httpx.Response) -> PetstoreError:
    retry_after = response.headers.get("Retry-After", "")
    try:
        body = json.loads(response.content)
        code, message = body["code"], body["message"]
    except (ValueError, KeyError, TypeError):
        # A proxy answered in place of the service.
        code = "service_unavailable" if response.status_code in (502, 503, 504) else "internal_error"
        message = f"The response is {response.status_code}, without an error of the service."
    return PetstoreError(
        message,
        code,
        response.status_code,
        response.headers.get("X-Request-Id"),
        float(retry_after) if retry_after.isdecimal() else None,
    )


def _wait_after(error: PetstoreError, failures: int, repeatable: bool, endless: bool) -> float | None:
    """Returns the seconds to wait before another attempt; None if it cannot help or may do harm."""
    limited = error.status == 429
    if not limited and (error.code not in _PASSING or not repeatable):
        return None
    if endless and error.code == "api_key_banned":
        return None
    if not endless and failures >= _RETRIES:
        return None
    asked = error.retry_after or 0.0
    if asked > _LONGEST_WAIT and not endless:
        return None
    wait = min(_FIRST_WAIT * 2**failures, _LONGEST_WAIT)
    return asked + wait * random.uniform(0.5, 1)


def _rest_after(headers: httpx.Headers) -> float:
    """Returns the seconds to rest so that what is left of each window of the quota lasts."""
    windows = re.findall(r"q=(\d+);w=(\d+)", headers.get("RateLimit-Policy", ""))
    left = re.findall(r"r=(\d+);t=(\d+)", headers.get("RateLimit", ""))
    rests = [0.0]
    for (quota, seconds), (remaining, resets_in) in zip(windows, left):
        even = int(resets_in) / int(seconds) * int(quota)
        if int(remaining) < (1 - _AHEAD) * even:
            rests.append(int(resets_in) / max(int(remaining), 1))
    return max(rests)


def _position(response: httpx.Response) -> int:
    return int(parse_qs(urlsplit(response.links["next"]["url"]).query)["after"][0])


def _id(id: int) -> int:
    if isinstance(id, bool) or not isinstance(id, int):
        raise TypeError(f"an id is an int, not {id!r}")
    return id


def _search(query: Mapping[str, Any]) -> str:
    pairs = [f"{name}={quote(_text(value), safe=',')}" for name, value in query.items() if value is not None]
    return f"?{'&'.join(pairs)}" if pairs else ""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple, set)):
        return ",".join(_text(one) for one in value)
    return str(value)
