"""Code shared by both clients: requests, and when they may be retried."""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

import httpx

from .errors import Answer, TintypeError, media_type, timed_out, unexpected

OnRetry = Callable[[TintypeError, float], None]
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
#: Longer ones would fill the memory.
LINE_MAX = 16_000_000

#: Members of an answer that the client relies on, and their types.
Shape = Mapping[str, type | tuple[type, ...]]
TEXT_OR_NONE = (str, type(None))
HAS_ID: Shape = {"id": str}
SHAPES: Mapping[str, Shape] = {
    "captures": {"id": str, "ended_at": TEXT_OR_NONE},
    "batches": {"id": str, "status": str, "total": int},
    "sessions": HAS_ID,
    "destinations": HAS_ID,
    "watches": HAS_ID,
}


@dataclass(frozen=True)
class Settings:
    url: str
    key: str = field(repr=False)
    timeout: float
    retries: float
    on_retry: OnRetry | None

    def __post_init__(self) -> None:
        assert_address(self.url)
        assert_key(self.key)
        assert_number("timeout", self.timeout, 1e-9)
        assert_number("retries", self.retries, 0)

    @property
    def base(self) -> str:
        return self.url.rstrip("/")


@dataclass(frozen=True)
class Call:
    """`repeat`: `always` retries even after a lost connection, `refused` only after a 429 or 503."""

    method: str
    path: str
    repeat: Literal["always", "refused", "never"] = "always"
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    #: None: a success has no body.
    shape: Shape | None = field(default_factory=lambda: HAS_ID)
    #: Of a stream.
    media: str = ""

    def __post_init__(self) -> None:
        if self.idempotency_key is not None and not re.fullmatch(r"[\x21-\x7e]{1,255}", self.idempotency_key):
            raise ValueError("An idempotency_key has 1 to 255 visible ASCII characters, such as those of a UUID.")

    def headers(self, settings: Settings) -> dict[str, str]:
        headers = {"authorization": f"Bearer {settings.key}"}
        if self.idempotency_key is not None:
            headers["idempotency-key"] = self.idempotency_key
        if self.body is not None:
            headers["content-type"] = "application/json"
        return headers

    def content(self) -> bytes | None:
        """Raises `ValueError` for numbers that JSON can't represent, and `TypeError` for other such values."""
        return None if self.body is None else json.dumps(self.body, allow_nan=False).encode()


class Attempts:
    """The attempts of one call, within its deadline."""

    def __init__(self, settings: Settings, call: Call, timeout: float | None, retries: float | None) -> None:
        self.settings = settings
        self.call = call
        self.timeout = settings.timeout if timeout is None else timeout
        self.retries = settings.retries if retries is None else retries
        self.deadline = time.monotonic() + self.timeout
        self.tries = 0

    def left(self) -> float:
        """Seconds until the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise timed_out(self.timeout)
        return left

    def pause_after(self, error: TintypeError) -> float:
        """Seconds until the next attempt. Raises `error` if there is none."""
        pause = min(FIRST_PAUSE * 2**self.tries, LONGEST_PAUSE) * random.uniform(0.5, 1)
        pause = max(pause, error.retry_after_seconds or 0)
        if self.tries >= self.retries or not self.may_repeat(error) or time.monotonic() + pause >= self.deadline:
            raise error
        self.tries += 1
        if self.settings.on_retry:
            self.settings.on_retry(error, pause)
        return pause

    def may_repeat(self, error: TintypeError) -> bool:
        """Errors caused by the page have status 400: whether to retry is the caller's decision."""
        if self.call.repeat == "never" or not error.retryable or error.code == "timeout":
            return False
        return error.status in (429, 503) or (self.call.repeat == "always" and (error.status == 0 or error.status >= 500))


class Lines:
    """Splits a stream of arbitrary chunks into lines. A last line without an end was cut off, and is sent again."""

    def __init__(self, settings: Settings, call: Call) -> None:
        self.settings = settings
        self.call = call
        self.parts: list[str] = []
        self.length = 0

    def add(self, text: str) -> list[str]:
        first, *others = text.split("\n")
        self.parts.append(first)
        self.length += len(first)
        if self.length > LINE_MAX:
            raise unexpected(self.settings.url, 200, f"a line of more than {LINE_MAX} characters", self.call.media)
        if not others:
            return []
        lines = ["".join(self.parts), *others[:-1]]
        self.parts, self.length = [others[-1]], len(others[-1])
        return lines


def new_idempotency_key() -> str:
    return str(uuid.uuid4())


def assert_address(url: object) -> None:
    """Its errors contain no secrets, because error texts are often logged."""
    if not isinstance(url, str):
        raise ValueError(f"The service's URL must be text, not {type(url).__name__}.")
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        parts = httpx.URL("")
    if parts.userinfo:
        raise ValueError("The service's URL must have no user name and no password: the API key takes their place.")
    if "?" in url or "#" in url:
        raise ValueError("The service's URL must have no query and no fragment.")
    if parts.scheme not in ("http", "https") or not parts.host or (parts.port or 0) > 65_535 or re.search(r"\s", url):
        shown = f", not {url!r}" if "://" in url and "@" not in url else ""  # it might be the key
        raise ValueError(f"The service must be an http or https URL, such as https://screenshots.example.com{shown}.")


def assert_request(request: object) -> None:
    if not isinstance(request, Mapping):
        raise TypeError(f"A request is a dictionary of options, such as {{'url': 'https://example.com'}}, not {type(request).__name__}.")


def assert_key(key: object) -> None:
    if not isinstance(key, str) or not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("The API key is missing, or has characters that no API key has.")


def assert_number(name: str, value: object, least: float) -> None:
    if not isinstance(value, (int, float)) or not value >= least:
        raise ValueError(f"{name} must be a number{' above 0' if least > 0 else ', at least 0'}, not {value!r}.")


def path_of(kind: str, identifier: object, more: str = "", **query: str | int | None) -> str:
    """Raises `ValueError` for an id that would lead to another path, such as `..`."""
    if not isinstance(identifier, str) or not re.fullmatch(r"[\w-]+", identifier, re.ASCII):
        raise ValueError(f"An id has letters, digits and dashes, as {kind} have it; not {repr(identifier)[:100]}.")
    return with_query(f"/v1/{kind}/{identifier}{more}", query)


def with_query(path: str, query: Mapping[str, str | int | None]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def limit_reads(response: httpx.Response, seconds: float) -> None:
    """Timeout for each remaining read of the body."""
    limits: object = response.request.extensions.get("timeout")
    if isinstance(limits, dict):
        limits["read"] = limit_of(seconds)


def limit_of(seconds: float) -> float | None:
    """No timeout if it is over three years, because clocks can't represent all numbers."""
    return seconds if seconds < 1e8 else None


def read_json(settings: Settings, call: Call, answer: Answer) -> Any:
    if call.shape is None and answer.status == 204:
        return None
    came, expected = "nothing" if answer.status == 204 else media_type(answer.headers), "nothing" if call.shape is None else "application/json"
    if call.shape is None or came != expected:
        raise unexpected(settings.url, answer.status, came, expected)
    return parse(settings, answer.body, call.shape, answer.status)


def parse(settings: Settings, text: str | bytes, shape: Shape, status: int = 200) -> Any:
    """An object that has these members."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unexpected(settings.url, status, "what is not JSON", "application/json") from error
    if not fits(read, shape):
        raise unexpected(settings.url, status, "other JSON", f"an object{' with ' if shape else ''}{', '.join(shape)}")
    return read


def fits(read: object, shape: Shape) -> bool:
    return isinstance(read, dict) and all(name in read and isinstance(read[name], types) for name, types in shape.items())
