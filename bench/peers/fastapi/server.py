"""`python server.py PORT DATABASE`: the work of our service on FastAPI, one worker of uvicorn."""

import hashlib
import json
import math
import re
import sqlite3
import sys
import threading
import time
import uuid
from collections import deque
from datetime import datetime, timezone
from typing import Annotated, Literal

import uvicorn
from fastapi import FastAPI, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

port, path = int(sys.argv[1]), sys.argv[2]
FRESH_SECONDS = 0.5
WINDOWS = (("minute", 60, "per_minute"), ("day", 86_400, "per_day"))
COLUMNS = "id, name, category_id AS categoryId, status"
Status = Literal["available", "pending", "sold"]
BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)

database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
database.row_factory = sqlite3.Row
for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
    database.execute(f"PRAGMA {pragma}")

app = FastAPI()
known_keys: dict[str, tuple[float, sqlite3.Row]] = {}
counts: dict[int, list[list[int]]] = {}
lines: deque[str] = deque()


class NewPet(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: Annotated[str, Field(min_length=1)]
    categoryId: Annotated[int, Field(ge=1, le=2**53 - 1)]
    status: Status = "available"


def find_key(field: str, now: float) -> sqlite3.Row | None:
    """Returns the key of an Authorization header, cached for half a second."""
    read_at, key = known_keys.get(field, (0.0, None))
    if key is not None and now - read_at < FRESH_SECONDS:
        return key
    known_keys.pop(field, None)
    match = BEARER.fullmatch(field)
    if match is None:
        return None
    digest = hashlib.sha256(match[1].encode()).hexdigest()
    key = database.execute("SELECT * FROM api_keys WHERE hash = ?", (digest,)).fetchone()
    if key is None or key["revoked_at"] is not None:
        return None
    if key["expires_at"] is not None and key["expires_at"] <= now * 1_000:
        return None
    known_keys[field] = (now, key)
    return key


def charge(key: sqlite3.Row, now: float) -> tuple[bool, dict[str, str]]:
    """Counts a request in both windows and returns the rate limit headers."""
    used = counts.setdefault(key["id"], [[0, 0], [0, 0]])
    for window, (_, seconds, _) in zip(used, WINDOWS):
        start = int(now) // seconds * seconds
        if window[0] != start:
            window[:] = start, 0
    limits = [key[column] for _, _, column in WINDOWS]
    granted = all(window[1] < limit for window, limit in zip(used, limits))
    if granted:
        for window in used:
            window[1] += 1
    left = [limit - window[1] for window, limit in zip(used, limits)]
    resets = [window[0] + seconds for window, (_, seconds, _) in zip(used, WINDOWS)]
    tightest = 0 if left[0] <= left[1] else 1
    names = [name for name, _, _ in WINDOWS]
    return granted, {
        "x-ratelimit-limit": str(limits[tightest]),
        "x-ratelimit-remaining": str(left[tightest]),
        "x-ratelimit-reset": str(resets[tightest]),
        "ratelimit-policy": ", ".join(
            f'"{name}";q={limit};w={seconds}' for limit, (name, seconds, _) in zip(limits, WINDOWS)
        ),
        "ratelimit": ", ".join(
            f'"{name}";r={rest};t={math.ceil(reset - now)}'
            for name, rest, reset in zip(names, left, resets)
        ),
    }


class FullJob:
    """Key check, limits, headers and log as plain ASGI, the fastest form of middleware."""

    def __init__(self, inner):
        self.inner = inner

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.inner(scope, receive, send)
        begin, now = time.perf_counter(), time.time()
        request_id = str(uuid.uuid4())
        field = next((v for k, v in scope["headers"] if k == b"authorization"), b"")
        fields = {
            "cache-control": "private, no-cache",
            "x-content-type-options": "nosniff",
            "vary": "Authorization",
            "x-request-id": request_id,
        }
        status = 500

        async def send_all(message):
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] += [(k.encode(), v.encode()) for k, v in fields.items()]
            await send(message)

        key = find_key(field.decode("latin-1"), now)
        inner = self.inner
        if key is None:
            inner = refusal(401, "Send a valid API key.")
        else:
            granted, limit_fields = charge(key, now)
            fields |= limit_fields
            if not granted:
                inner = refusal(429, "Wait until the limit resets.")
        scope["state"] = {**scope.get("state", {}), "key": key}
        await inner(scope, receive, send_all)
        record = {
            "time": datetime.now(timezone.utc).isoformat(),
            "requestId": request_id,
            "keyId": key and key["id"],
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "milliseconds": (time.perf_counter() - begin) * 1_000,
        }
        lines.append(json.dumps(record))


def refusal(status: int, message: str) -> Response:
    return Response(json.dumps({"message": message}), status, media_type="application/json")


def tagged(request: Request, value) -> Response:
    """A success with its entity tag, or 304 to a client that already has it."""
    body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    tag = f'"{hashlib.sha1(body).hexdigest()}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"etag": tag})
    return Response(body, headers={"etag": tag}, media_type="application/json")


@app.get("/v1/pets")
async def list_pets(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    status: Status | None = None,
    category_id: Annotated[int | None, Query(alias="categoryId", ge=1)] = None,
    cursor: Annotated[int, Query(ge=0)] = 0,
):
    filters, values, link = "", [], f"limit={limit}"
    if category_id is not None:
        filters, values, link = "category_id = ? AND ", [category_id], f"{link}&categoryId={category_id}"
    if status is not None:
        filters, values, link = f"{filters}status = ? AND ", [*values, status], f"{link}&status={status}"
    # The module caches the prepared statements.
    sql = f"SELECT {COLUMNS} FROM pets WHERE {filters}id > ? ORDER BY id LIMIT ?"
    pets = [dict(row) for row in database.execute(sql, (*values, cursor, limit))]
    response = tagged(request, pets)
    if len(pets) == limit:
        next_page = f"http://127.0.0.1/v1/pets?{link}&cursor={pets[-1]['id']}"
        response.headers["link"] = f'<{next_page}>; rel="next"'
    return response


@app.get("/v1/pets/{pet_id}")
async def get_pet(request: Request, pet_id: int):
    row = database.execute(f"SELECT {COLUMNS} FROM pets WHERE id = ?", (pet_id,)).fetchone()
    return refusal(404, "There is no such animal.") if row is None else tagged(request, dict(row))


@app.post("/v1/pets")
async def create_pet(request: Request, pet: NewPet):
    """One transaction, on disk before the response."""
    now, key_id = int(time.time() * 1_000), request.state.key["id"]
    pet_id = database.execute(
        "INSERT INTO pets (name, name_folded, category_id, status, first_status, added_at, added_by) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (pet.name, pet.name.casefold(), pet.categoryId, pet.status, pet.status, now, key_id),
    ).lastrowid
    body = json.dumps({"id": pet_id, **pet.model_dump()}, separators=(",", ":"))
    fields = {"location": f"/v1/pets/{pet_id}"}
    return Response(body, 201, fields, media_type="application/json")


def write_log():
    """Lines are buffered for a second."""
    while True:
        time.sleep(1)
        written = [lines.popleft() for _ in range(len(lines))]
        sys.stdout.write("".join(f"{line}\n" for line in written))
        sys.stdout.flush()


threading.Thread(target=write_log, daemon=True).start()
uvicorn.run(
    FullJob(app),
    host="127.0.0.1",
    port=port,
    loop="uvloop",
    http="httptools",
    access_log=False,
    log_level="warning",
)
