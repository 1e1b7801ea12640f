"""Facts that no schema can express: see docs/decisions/0004-conformance-suites.md."""

import re

import requests
import schemathesis

NEXT = re.compile(r'[?&]cursor=([^&>]*)>; rel="next"')


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
    if "cursor" not in (case.query or {}):
        return
    query = {name: value for name, value in case.query.items() if name != "cursor"}
    first = case.operation.Case(query={**query, "limit": 1}, path_parameters=case.path_parameters)
    sent = first.as_transport_kwargs(base_url=case.operation.base_url)
    sent["headers"] = kwargs.get("headers") or case.headers
    found = NEXT.search(requests.request(**sent, timeout=10).headers.get("Link", ""))
    case.query = {**query, "cursor": found[1]} if found else query
