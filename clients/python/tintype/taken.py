"""One screenshot: its bytes, and the information in the response headers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone

from .errors import Answer, media_type, unexpected


@dataclass(frozen=True)
class Taken:
    """`data` is the image, or the document for formats such as `pdf`."""

    data: bytes
    content_type: str
    id: str
    #: `HIT` and `STALE`: stored earlier; `COALESCED`: captured by a concurrent equal request.
    cache: str
    age_seconds: int | None
    #: What the image shows: the page (`ok`), or something in its place.
    verdict: str
    verdict_reason: str
    #: What was cut off, ignored or corrected.
    warnings: list[str]
    target_status: int | None
    target_url: str
    etag: str
    request_id: str
    #: Milliseconds of each phase.
    timings: dict[str, float]
    #: With `compare_to`; the share is that of the pixels that differ, 0 to 1.
    changed: bool | None
    changed_share: float | None
    changed_regions: int | None
    #: Requests of the key: allowed in a minute, left in the current one, and when that ends.
    rate_limit: int
    rate_limit_remaining: int
    rate_limit_resets_at: datetime


def taken_of(url: str, answer: Answer) -> Taken:
    headers = answer.headers
    if "x-screenshot-id" not in headers:
        raise unexpected(url, answer.status, media_type(headers), "a screenshot with X-Screenshot-Id")

    def text(name: str) -> str:
        return str(headers.get(name, ""))

    def number(name: str) -> float | None:
        """None as well if it isn't a number, because gateways may set headers with the same names."""
        return float(text(name)) if re.fullmatch(r"\d{1,10}(\.\d+)?", text(name), re.ASCII) else None

    def integer(name: str) -> int | None:
        value = number(name)
        return None if value is None else int(value)

    timings = re.findall(r"([\w-]+);dur=(\d+(?:\.\d+)?)", text("server-timing"), re.ASCII)
    return Taken(
        data=answer.body,
        content_type=text("content-type"),
        id=text("x-screenshot-id"),
        cache=text("x-cache"),
        age_seconds=integer("age"),
        verdict=text("x-verdict"),
        verdict_reason=text("x-verdict-reason"),
        warnings=[warning for warning in text("x-warnings").split("; ") if warning],
        target_status=integer("x-target-status"),
        target_url=text("x-target-url"),
        etag=text("etag"),
        request_id=text("x-request-id"),
        timings={phase: float(ms) for phase, ms in timings},
        changed=text("x-changed") == "true" if "x-changed" in headers else None,
        changed_share=number("x-changed-share"),
        changed_regions=integer("x-changed-regions"),
        rate_limit=integer("x-ratelimit-limit") or 0,
        rate_limit_remaining=integer("x-ratelimit-remaining") or 0,
        rate_limit_resets_at=datetime.fromtimestamp(integer("x-ratelimit-reset") or 0, timezone.utc),
    )
