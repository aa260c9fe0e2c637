"""The error of every call."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import Any, cast

import httpx

from .api_types import ErrorAnswerDetails


@dataclass(frozen=True)
class Answer:
    """`body` is empty if the caller reads it from `response`."""

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
        """Process pools pickle errors; without this method, they could not be restored."""
        return built_again, (self.message, {name: value for name, value in self.__dict__.items() if name != "message"})


def built_again(message: str, facts: dict[str, Any]) -> TintypeError:
    return TintypeError(message, **facts)


def error_of(url: str, answer: Answer) -> TintypeError:
    """The error for a response that is not a success."""
    status, headers = answer.status, answer.headers
    if 300 <= status < 400 and "location" in headers:
        message = f"{url} redirects to {headers['location'][:1000]}: give that one instead."
        return TintypeError(message, code="unexpected_answer", status=status, retryable=False)
    body: dict[str, object] = {}
    if media_type(headers) == "application/json":
        try:
            read = json.loads(answer.body)
            body = cast(dict[str, object], read) if isinstance(read, dict) else {}
        except (ValueError, RecursionError):
            pass
    message, code, retryable = body.get("message"), body.get("code"), body.get("retryable")
    details, request_id = body.get("details"), body.get("requestId")
    return TintypeError(
        message if isinstance(message, str) and message else f"The service answered with status {status}.",
        code=code if isinstance(code, str) and code else headers.get("x-error-code") or "unexpected_answer",
        status=status,
        retryable=retryable if isinstance(retryable, bool) else status == 429 or status >= 502,
        request_id=request_id if isinstance(request_id, str) else headers.get("x-request-id"),
        details=cast(list[ErrorAnswerDetails], details) if isinstance(details, list) else [],
        retry_after_seconds=seconds_until(headers.get("retry-after", "")),
    )


def seconds_until(text: str) -> float | None:
    """Parses `Retry-After`: seconds, or an HTTP date in any of its three forms. None for anything else, and for more than thirty years."""
    seconds = int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None
    if re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+( GMT|:\d\d \d{4})", text, re.ASCII):
        date = parsedate_tz(text)
        try:
            seconds = None if date is None else max(0, math.ceil(mktime_tz(date) - time.time()))
        except (ValueError, OverflowError):
            pass
    return None if seconds is None or seconds > 999_999_999 else float(seconds)


def media_type(headers: httpx.Headers) -> str:
    return headers.get("content-type", "").split(";")[0].strip().lower() or "no content type"


def unexpected(url: str, status: int, came: str, expected: str) -> TintypeError:
    message = f"{url} is not a Tintype service, or something between changes its answers. It sent {came[:100]} rather than {expected}."
    return TintypeError(message, code="unexpected_answer", status=status, retryable=False)


def unreachable(url: str, error: Exception) -> TintypeError:
    return TintypeError(f"{url} can't be reached: {str(error) or type(error).__name__}.", code="unreachable", status=0, retryable=True)


def timed_out(timeout: float) -> TintypeError:
    return TintypeError(f"No answer within {timeout:g} s.", code="timeout", status=0, retryable=True)
