"""The request of each call."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from .api_types import BatchRequest, BatchEntry, CaptureRequest, DestinationRequest, SessionRequest
from .calls import HAS_ID, SHAPES, TEXT_OR_NONE, Call, Shape, assert_request, new_idempotency_key, path_of, with_query


def take(request: Mapping[str, Any], **more: str) -> Call:
    """Not repeated after a lost connection, because that might take a second screenshot."""
    assert_request(request)
    shape: Shape = {} if request.get("dry_run") else HAS_ID
    return Call("POST", "/v1/screenshots/take", "refused", {**request, **more}, shape=shape)


def create_capture(request: CaptureRequest, idempotency_key: str | None) -> Call:
    assert_request(request)
    key = new_idempotency_key() if idempotency_key is None and request.get("async") else idempotency_key
    return Call("POST", "/v1/captures", "never" if key is None else "always", request, key)


def create(kind: str, request: Mapping[str, Any], idempotency_key: str | None) -> Call:
    assert_request(request)
    key = new_idempotency_key() if idempotency_key is None else idempotency_key
    return Call("POST", f"/v1/{kind}", "always", request, key, SHAPES[kind])


def save_session(request: SessionRequest) -> Call:
    assert_request(request)
    return Call("POST", "/v1/sessions", "always", request)


def sign_in_session(name: str) -> Call:
    return Call("POST", path_of("sessions", name, "/sign-in"), "refused")


def save_destination(request: DestinationRequest) -> Call:
    assert_request(request)
    return Call("POST", "/v1/destinations", "always", request)


def destinations() -> Call:
    return Call("GET", "/v1/destinations", shape={"destinations": list})


def test_destination(name: str) -> Call:
    return Call("POST", path_of("destinations", name, "/test"), "refused", shape={"works": bool, "key": str})


def read(kind: str, identifier: str) -> Call:
    return Call("GET", path_of(kind, identifier), shape=SHAPES[kind])


def stream(identifier: str, more: str, media: str, **query: str | None) -> Call:
    """Reads a stream of a batch."""
    return Call("GET", path_of("batches", identifier, more, **query), media=media)


def read_capture(identifier: str, wait: int) -> Call:
    return Call("GET", path_of("captures", identifier, wait=wait), shape=SHAPES["captures"])


def page(path: str, name: str, **query: str | None) -> Call:
    """Reads a page of a list whose items are in the member `name`."""
    return Call("GET", with_query(path, query), shape={name: list, "next_cursor": TEXT_OR_NONE})


def remove(kind: str, identifier: str) -> Call:
    return Call("DELETE", path_of(kind, identifier), shape=None if kind in ("sessions", "destinations", "watches") else SHAPES[kind])


def change(kind: str, identifier: str, body: Mapping[str, Any]) -> Call:
    assert_request(body)
    return Call("PATCH", path_of(kind, identifier), "always", body)


def act(identifier: str, action: str, body: Mapping[str, Any] | None = None) -> Call:
    """An action on a watch."""
    return Call("POST", path_of("watches", identifier, f"/{action}"), "refused", body)


def retried(request: BatchRequest, failed: list[int]) -> BatchRequest:
    """A request with only the captures at these positions. Raises `ValueError` if the request doesn't have all of them."""
    captures: list[BatchEntry] = request.get("captures", [])
    if max(failed, default=0) >= len(captures):
        raise ValueError(f"The request has {len(captures)} captures, but the batch has more: give the one that it was created with.")
    return {**request, "captures": [captures[index] for index in failed]}


def signed_url(base: str, key: str, request: Mapping[str, Any], secret: str, expires_at: datetime | None) -> str:
    """The signature is the HMAC-SHA256 of the query as sent, without `signature`. Lists are sent as JSON."""
    if not secret:
        raise ValueError("The signing secret is missing.")
    values = {"api_key": key, **request}
    if expires_at is not None:
        values["expires"] = int(expires_at.timestamp())
    query = "&".join(f"{name}={quote(text_of(value), safe='')}" for name, value in values.items() if value is not None)
    signature = hmac.new(secret.encode(), query.encode(), hashlib.sha256).hexdigest()
    return f"{base}/v1/screenshots/take?{query}&signature={signature}"


def text_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (list, dict)) else str(value)
