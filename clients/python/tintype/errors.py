"""The error of every call."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import httpx

from .api_types import ErrorAnswerDetails


@dataclass(frozen=True)
class Answer:
    """`body` is empty where the caller reads it from `response`."""

    response: httpx.Response
    body: bytes = b""

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def headers(self) -> httpx.Headers:
        return self.response.headers


class TintypeError(Exception):
    """The service refused a request, or could not be reached.

    `code` is as in docs/errors.md, or `unreachable`, `timeout`, `unexpected_answer`; `status` is 0 without an answer.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        retryable: bool,
        request_id: str | None = None,
        details: list[ErrorAnswerDetails] | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.retryable = retryable
        self.request_id = request_id
        self.details = details or []
        self.retry_after_seconds = retry_after_seconds

    def __reduce__(self) -> tuple[Callable[..., TintypeError], tuple[str, dict[str, Any]]]:
        """Pools of processes send errors to each other; without this, they could not build it again."""
        return built_again, (self.message, {name: value for name, value in self.__dict__.items() if name != "message"})


def built_again(message: str, facts: dict[str, Any]) -> TintypeError:
    return TintypeError(message, **facts)


def error_of(url: str, answer: Answer) -> TintypeError:
    """Of an answer that is not a success."""
    status, headers = answer.status, answer.headers
    if 300 <= status < 400:
        message = f"{url} redirects to {headers.get('location', 'another address')}: give that one instead."
        return TintypeError(message, code="unexpected_answer", status=status, retryable=False)
    body: dict[str, object] = {}
    if headers.get("content-type", "").startswith("application/json"):
        try:
            read = json.loads(answer.body)
            body = cast(dict[str, object], read) if isinstance(read, dict) else {}
        except (ValueError, RecursionError):
            pass
    after = headers.get("retry-after", "")
    return TintypeError(
        str(body.get("message") or f"The service answered with status {status}."),
        code=str(body.get("code") or headers.get("x-error-code") or "unexpected_answer"),
        status=status,
        retryable=bool(body.get("retryable", status == 429 or status >= 502)),
        request_id=cast("str | None", body.get("requestId")) or headers.get("x-request-id"),
        details=cast(list[ErrorAnswerDetails], body.get("details") or []),
        retry_after_seconds=float(after) if after.isascii() and after.isdigit() else None,
    )


def unexpected(url: str, status: int) -> TintypeError:
    message = f"{url} is not a Tintype service, or something between changes its answers: what came is not what Tintype sends."
    return TintypeError(message, code="unexpected_answer", status=status, retryable=False)


def unreachable(url: str, error: Exception) -> TintypeError:
    return TintypeError(f"{url} can't be reached: {error}.", code="unreachable", status=0, retryable=True)


def timed_out(timeout: float) -> TintypeError:
    return TintypeError(f"No answer within {timeout:g} s.", code="timeout", status=0, retryable=True)
