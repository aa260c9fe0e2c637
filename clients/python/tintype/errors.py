"""The error of every call."""

from __future__ import annotations

from typing import cast

import httpx

from .api_types import ErrorAnswerDetails


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


def error_of(response: httpx.Response) -> TintypeError:
    """Of an answer that is not a success, whose body has been read."""
    status, headers = response.status_code, response.headers
    body: dict[str, object] = {}
    if headers.get("content-type", "").startswith("application/json"):
        try:
            body = cast(dict[str, object], response.json())
        except ValueError:
            pass
    after = headers.get("retry-after", "")
    return TintypeError(
        str(body.get("message") or f"The service answered with status {status}."),
        code=str(body.get("code") or headers.get("x-error-code") or "unexpected_answer"),
        status=status,
        retryable=bool(body.get("retryable", status == 429 or status >= 502)),
        request_id=cast("str | None", body.get("requestId")) or headers.get("x-request-id"),
        details=cast(list[ErrorAnswerDetails], body.get("details") or []),
        retry_after_seconds=float(after) if after.isdigit() else None,
    )


def unexpected(url: str, status: int) -> TintypeError:
    message = f"{url} is not a Tintype service: it answered with something else than JSON."
    return TintypeError(message, code="unexpected_answer", status=status, retryable=False)


def unreachable(url: str, error: Exception) -> TintypeError:
    return TintypeError(f"{url} can't be reached: {error}.", code="unreachable", status=0, retryable=True)


def timed_out(timeout: float) -> TintypeError:
    return TintypeError(f"No answer within {timeout:g} s.", code="timeout", status=0, retryable=True)
