"""What no schema can tell Schemathesis: see docs/decisions/0004-conformance-suites.md."""

import re

import requests
import schemathesis

NEXT = re.compile(r'[?&]cursor=([^&>]*)>; rel="next"')


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes the longest length from headers that hold entity tags.

    Up to it they certainly arrive. Longer ones are no error (RFC 9110 has a tag that nothing
    matches ignored), up to the 16 KiB of all headers, which the runtime refuses by itself.
    """
    for parameter in raw_schema["components"].get("parameters", {}).values():
        if parameter["name"] in ("If-Match", "If-None-Match"):
            del parameter["schema"]["maxLength"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts real things where Schemathesis made them up.

    A cursor is a text of a certain form, but hardly any text of that form is a cursor: it comes
    from the Link header of a page of the same list. Made up ones that break the form stay.
    """
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive:
        return
    # A made up tag is that of another state: 412, whatever else is sent.
    kwargs.get("headers", {}).pop("If-Match", None)
    (case.headers or {}).pop("If-Match", None)
    if "cursor" not in (case.query or {}):
        return
    query = {name: value for name, value in case.query.items() if name != "cursor"}
    first = case.operation.Case(query={**query, "limit": 1}, path_parameters=case.path_parameters)
    sent = first.as_transport_kwargs(base_url=case.operation.base_url)
    sent["headers"] = kwargs.get("headers") or case.headers
    found = NEXT.search(requests.request(**sent, timeout=10).headers.get("Link", ""))
    case.query = {**query, "cursor": found[1]} if found else query
