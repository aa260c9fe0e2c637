"""The request of each call."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from .api_types import BatchRequest, BatchEntry, CaptureRequest
from .calls import Call, new_idempotency_key, path_of


def take(request: Mapping[str, Any], **more: str) -> Call:
    """Not repeated after a lost connection, which would be a second capture."""
    return Call("POST", "/v1/screenshots/take", "refused", {**request, **more})


def create_capture(request: CaptureRequest, idempotency_key: str | None) -> Call:
    key = idempotency_key or (new_idempotency_key() if request.get("async") else None)
    return Call("POST", "/v1/captures", "never" if key is None else "always", request, key)


def create(kind: str, request: Mapping[str, Any], idempotency_key: str | None) -> Call:
    return Call("POST", f"/v1/{kind}", "always", request, idempotency_key or new_idempotency_key())


def read(kind: str, identifier: str | None, more: str = "", **query: str | int | None) -> Call:
    return Call("GET", path_of(kind, identifier, more, **query))


def remove(kind: str, identifier: str) -> Call:
    return Call("DELETE", path_of(kind, identifier))


def change(kind: str, identifier: str, body: Mapping[str, Any]) -> Call:
    return Call("PATCH", path_of(kind, identifier), "always", body)


def act(identifier: str, action: str, body: Mapping[str, Any] | None = None) -> Call:
    """An action on a watch."""
    return Call("POST", path_of("watches", identifier, f"/{action}"), "refused", body)


def retried(request: BatchRequest, failed: list[int]) -> BatchRequest:
    """The captures of these places, as a request of their own."""
    captures: list[BatchEntry] = request.get("captures", [])
    return {**request, "captures": [captures[index] for index in failed]}


def signed_url(base: str, key: str, request: Mapping[str, Any], secret: str, expires_at: datetime | None) -> str:
    """The signature is the HMAC-SHA256 of the query as sent, without `signature`. Lists are sent as JSON."""
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
