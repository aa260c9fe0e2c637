"""What both faces share: requests, and when they may be sent again."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlencode

import httpx

from .errors import Answer, TintypeError, timed_out, unexpected

OnRetry = Callable[[TintypeError, float], None]
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0


@dataclass(frozen=True)
class Settings:
    url: str
    key: str = field(repr=False)
    timeout: float
    retries: float
    on_retry: OnRetry | None

    def __post_init__(self) -> None:
        try:
            parts = httpx.URL(self.url)
        except httpx.InvalidURL:
            parts = httpx.URL("")
        if parts.scheme not in ("http", "https") or not parts.host or (parts.port or 0) > 65_535 or parts.query or parts.fragment:
            raise ValueError(f"The service must be an http or https URL, such as https://screenshots.example.com, not {self.url}.")
        if not self.key or not all("\x21" <= letter <= "\x7e" for letter in self.key):
            raise ValueError("The API key is missing, or has characters that no API key has.")

    @property
    def base(self) -> str:
        return self.url.rstrip("/")


@dataclass(frozen=True)
class Call:
    """`repeat`: `always` also after a lost connection; `refused` after a 429 or 503 only."""

    method: str
    path: str
    repeat: Literal["always", "refused", "never"] = "always"
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None

    def headers(self, settings: Settings) -> dict[str, str]:
        headers = {"authorization": f"Bearer {settings.key}"}
        if self.idempotency_key is not None:
            headers["idempotency-key"] = self.idempotency_key
        if self.body is not None:
            headers["content-type"] = "application/json"
        return headers

    def content(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body).encode()


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
        """Errors that the page caused have status 400: whether to try again is the caller's decision."""
        if self.call.repeat == "never" or not error.retryable or error.code == "timeout":
            return False
        return error.status in (429, 503) or (self.call.repeat == "always" and (error.status == 0 or error.status >= 500))


def new_idempotency_key() -> str:
    return str(uuid.uuid4())


def path_of(kind: str, identifier: str | None, more: str = "", **query: str | int | None) -> str:
    """Of all of a kind without `identifier`."""
    if identifier == "":
        raise ValueError("The id is empty.")
    given = {name: value for name, value in query.items() if value is not None}
    return f"/v1/{kind}{'' if identifier is None else '/' + quote(identifier, safe='')}{more}{'?' + urlencode(given) if given else ''}"


def read_json(settings: Settings, answer: Answer) -> Any:
    if answer.status == 204:
        return None
    if not answer.headers.get("content-type", "").startswith("application/json"):
        raise unexpected(settings.url, answer.status)
    return parse(settings, answer.body, answer.status)


def parse(settings: Settings, text: str | bytes, status: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unexpected(settings.url, status) from error
