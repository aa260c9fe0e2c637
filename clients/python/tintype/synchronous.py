"""The client without `asyncio`. Generated from asynchronous.py by `npm run generate`; do not edit."""

from __future__ import annotations

import time
from collections.abc import Iterator, Callable
from contextlib import nullcontext
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Self, cast

import httpx

from . import requests
from .api_types import Batch, BatchRequest, Capture, CaptureRequest, CaptureState, Destination, DestinationRequest, DestinationTest, PageSession, Screenshot, SessionRequest, TakeRequest, Watch, WatchChange, WatchRequest, WatchRun
from .calls import HAS_ID, SHAPES, Attempts, Call, Lines, OnRetry, Settings, fits, limit_of, limit_reads, parse, path_of, read_json
from .errors import Answer, TintypeError, error_of, media_type, timed_out, unexpected, unreachable
from .taken import Taken, taken_of

RESTART_PAUSE = 0.5
#: The longest that the service waits for an end, and for its answer after that.
LONGEST_WAIT, GRACE = 60, 30.0
#: Of a service that restarts, a few answers may have no line; if all have none, something else sends them.
FRUITLESS_MAX = 10


class Calls:
    """Sends requests: adds the key, enforces a deadline, and retries where that is safe."""

    def __init__(self, settings: Settings, http: httpx.Client) -> None:
        self.settings = settings
        self.http = http

    def send(self, call: Call, timeout: float | None = None, retries: float | None = None, stream: bool = False) -> Answer:
        """The response if it is a success; with `stream`, its body has not been read yet. Raises `TintypeError`."""
        attempts = Attempts(self.settings, call, timeout, retries)
        while True:
            try:
                return self._attempt(call, attempts, stream)
            except TintypeError as error:
                pause = attempts.pause_after(error)
            time.sleep(pause)

    def _attempt(self, call: Call, attempts: Attempts, stream: bool) -> Answer:
        address = self.settings.base + call.path
        limit = limit_of(attempts.left())
        request = self.http.build_request(call.method, address, headers=call.headers(self.settings), content=call.content(), timeout=limit)
        try:
            with nullcontext(limit):
                response = self.http.send(request, stream=True)
                if stream and response.status_code < 300:
                    return self._opened(call, response)
                answer = Answer(response, self._read(response, attempts))
        except (TimeoutError, httpx.TimeoutException) as error:
            raise timed_out(attempts.timeout) from error
        except httpx.RequestError as error:
            raise unreachable(self.settings.url, error) from error
        if response.status_code >= 300:
            raise error_of(self.settings.url, answer)
        return answer

    def _opened(self, call: Call, response: httpx.Response) -> Answer:
        """A response with the right media type, whose body is read later, without the call's deadline."""
        came = media_type(response.headers)
        if came != call.media:
            response.close()
            raise unexpected(self.settings.url, response.status_code, came, call.media)
        limit_reads(response, self.settings.timeout)
        return Answer(response)

    def _read(self, response: httpx.Response, attempts: Attempts) -> bytes:
        """Applies the call's deadline to the whole body, even if each part arrives in time."""
        body = bytearray()
        limit_reads(response, attempts.left())
        try:
            for chunk in response.iter_bytes():
                attempts.left()
                body += chunk
        finally:
            response.close()
        return bytes(body)

    def parse(self, line: str, kind: str) -> Any:
        return parse(self.settings, line, SHAPES[kind])

    def json(self, call: Call, timeout: float | None = None, retries: float | None = None) -> Any:
        return read_json(self.settings, call, self.send(call, timeout, retries))

    def follow(self, next_call: Callable[[], Call]) -> Iterator[str | None]:
        """The lines of consecutive responses, with None between responses. The caller ends the iteration."""
        fruitless = 0
        while True:
            call = next_call()
            response = (self.send(call, stream=True)).response
            lines, brought = Lines(self.settings, call), False
            try:
                for text in response.iter_text():
                    for line in lines.add(text):
                        yield line
                        brought = True
            except httpx.DecodingError as error:
                raise unexpected(self.settings.url, 200, "what can't be decompressed", call.media) from error
            except httpx.RequestError:
                pass  # goes on with the next answer
            finally:
                response.close()
            fruitless = 0 if brought else fruitless + 1
            if fruitless == FRUITLESS_MAX:
                raise unexpected(self.settings.url, 200, f"{fruitless} empty answers in a row", call.media)
            yield None
            time.sleep(RESTART_PAUSE)  # the service restarts

    def pages(self, path: str, name: str, **query: str | None) -> Iterator[Any]:
        """The items on all pages of a list; `name` is the member that contains them."""
        before: str | None = None
        while True:
            page = self.json(requests.page(path, name, before=before, **query))
            for item in page[name]:
                if not fits(item, HAS_ID):
                    raise unexpected(self.settings.url, 200, "other JSON", f"{name} with id")
                yield item
            if page["next_cursor"] is None:
                return
            if page["next_cursor"] == before:
                raise unexpected(self.settings.url, 200, "the same page twice", "the next one")
            before = page["next_cursor"]


class Captures:
    """Several outputs of one page, synchronously or asynchronously."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def create(self, request: CaptureRequest, *, idempotency_key: str | None = None, timeout: float | None = None) -> Capture:
        """Captures synchronously. With an `idempotency_key` it is retried if necessary, and captured once."""
        return cast(Capture, self._calls.json(requests.create_capture(request, idempotency_key), timeout))

    def queue(self, request: CaptureRequest, *, idempotency_key: str | None = None) -> CaptureState:
        """Queues the capture, as with `async`; `wait` returns its result."""
        queued: CaptureRequest = {**request, "async": True}
        return cast(CaptureState, self._calls.json(requests.create_capture(queued, idempotency_key)))

    def get(self, identifier: str, *, wait_seconds: int = 0, timeout: float | None = None) -> CaptureState:
        return cast(CaptureState, self._calls.json(requests.read_capture(identifier, wait_seconds), timeout))

    def wait(self, identifier: str, *, timeout: float = float("inf")) -> CaptureState:
        """Waits until the capture has ended, including as `failed` or `canceled`; `timeout` limits the whole wait."""
        deadline = time.monotonic() + timeout
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise timed_out(timeout)
            seconds = int(min(LONGEST_WAIT, left + 1))
            state = self.get(identifier, wait_seconds=seconds, timeout=min(left, seconds + GRACE))
            if state["ended_at"] is not None:
                return state
            time.sleep(RESTART_PAUSE)  # also if something between answers at once, without waiting

    def cancel(self, identifier: str) -> CaptureState:
        """Cancels the capture if it has not started."""
        return cast(CaptureState, self._calls.json(requests.remove("captures", identifier)))


class Batches:
    """Batches: many captures, created in one request and followed while they run."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def create(self, request: BatchRequest, *, idempotency_key: str | None = None) -> Batch:
        return cast(Batch, self._calls.json(requests.create("batches", request, idempotency_key)))

    def get(self, identifier: str) -> Batch:
        return cast(Batch, self._calls.json(requests.read("batches", identifier)))

    def progress(self, identifier: str) -> Iterator[Batch]:
        """The state whenever a count has changed, until the batch is done. Continues after lost connections."""
        for line in self._calls.follow(lambda: requests.stream(identifier, "/events", "text/event-stream")):
            if line is None or not line.startswith("data:"):
                continue
            batch = cast(Batch, self._calls.parse(line.removeprefix("data:"), "batches"))
            yield batch
            if batch["status"] == "done":
                return

    def results(self, identifier: str, *, after: str | None = None) -> Iterator[CaptureState]:
        """Each capture as it ends, once; `after` is the id of the last one that is already known. Continues after lost connections."""
        batch = self.get(identifier)
        total = None if "crawl" in batch else batch["total"]  # a crawl grows
        last, count, brought, is_last = after, 0, 0, False
        for line in self._calls.follow(lambda: requests.stream(identifier, "/results", "application/x-ndjson", follow="true", after=last)):
            if line is None:
                if is_last and brought == 0:
                    return  # the batch was done before this answer, which brought nothing: there is nothing more
                is_last, brought = (self.get(identifier))["status"] == "done", 0
            elif line:
                result = cast(CaptureState, self._calls.parse(line, "captures"))
                last, count, brought = result["id"], count + 1, brought + 1
                yield result
                if count == total:
                    return

    def zip(self, identifier: str) -> Iterator[bytes]:
        """All files so far, as the chunks of a zip."""
        response = (self._calls.send(requests.stream(identifier, "/zip", "application/zip"), stream=True)).response
        try:
            for chunk in response.iter_bytes():
                yield chunk
        except httpx.TimeoutException as error:
            raise timed_out(self._calls.settings.timeout) from error
        except httpx.DecodingError as error:
            raise unexpected(self._calls.settings.url, 200, "what can't be decompressed", "application/zip") from error
        except httpx.RequestError as error:
            raise unreachable(self._calls.settings.url, error) from error
        finally:
            response.close()

    def cancel(self, identifier: str) -> Batch:
        """Cancels all captures that have not started."""
        return cast(Batch, self._calls.json(requests.remove("batches", identifier)))

    def retry(self, identifier: str, request: BatchRequest) -> Batch | None:
        """Once all captures have ended, a new batch of those that failed or were canceled; None if none did.

        `request` is the request with which the batch was created, including `captures`.
        """
        if "captures" not in request:
            raise ValueError("A batch of a sitemap or site can't be sent again in part: give a request with captures.")
        failed: list[int] = []
        for result in self.results(identifier):
            if result["status"] != "done" and "batch" in result:
                failed.append(result["batch"]["index"])
        return self.create(requests.retried(request, failed), idempotency_key=f"retry-{identifier}") if failed else None


class Sessions:
    """Cookies and storage for pages that require a sign-in, saved by name."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def save(self, request: SessionRequest) -> PageSession:
        """Saves a state in the format of Playwright's `storage_state`, or what `steps` at `url` leave.

        Replaces any session with the same name, unless the sign-in fails.
        """
        return cast(PageSession, self._calls.json(requests.save_session(request)))

    def list(self) -> Iterator[PageSession]:
        """Newest first."""
        return self._calls.pages("/v1/sessions", "sessions")

    def get(self, name: str) -> PageSession:
        return cast(PageSession, self._calls.json(requests.read("sessions", name)))

    def sign_in(self, name: str) -> PageSession:
        """Signs in again by the session's steps. The session keeps its state if that fails."""
        return cast(PageSession, self._calls.json(requests.sign_in_session(name)))

    def remove(self, name: str) -> None:
        self._calls.json(requests.remove("sessions", name))


class Destinations:
    """Buckets to which screenshots are copied, saved by name."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def save(self, request: DestinationRequest) -> Destination:
        """Replaces any destination with the same name."""
        return cast(Destination, self._calls.json(requests.save_destination(request)))

    def list(self) -> list[Destination]:
        """Newest first."""
        return cast("list[Destination]", (self._calls.json(requests.destinations()))["destinations"])

    def get(self, name: str) -> Destination:
        return cast(Destination, self._calls.json(requests.read("destinations", name)))

    def test(self, name: str) -> DestinationTest:
        """Writes an object and deletes it."""
        return cast(DestinationTest, self._calls.json(requests.test_destination(name)))

    def remove(self, name: str) -> None:
        self._calls.json(requests.remove("destinations", name))


class Watches:
    """Pages that are captured on a schedule, and the changes found in them."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def create(self, request: WatchRequest, *, idempotency_key: str | None = None) -> Watch:
        return cast(Watch, self._calls.json(requests.create("watches", request, idempotency_key)))

    def list(self, *, state: Literal["active", "paused"] | None = None) -> Iterator[Watch]:
        """Newest first."""
        return self._calls.pages("/v1/watches", "watches", state=state)

    def get(self, identifier: str) -> Watch:
        return cast(Watch, self._calls.json(requests.read("watches", identifier)))

    def change(self, identifier: str, change: WatchChange) -> Watch:
        return cast(Watch, self._calls.json(requests.change("watches", identifier, change)))

    def remove(self, identifier: str) -> None:
        self._calls.json(requests.remove("watches", identifier))

    def run(self, identifier: str) -> WatchRun:
        """Runs it now."""
        return cast(WatchRun, self._calls.json(requests.act(identifier, "run")))

    def pause(self, identifier: str) -> Watch:
        return cast(Watch, self._calls.json(requests.act(identifier, "pause")))

    def resume(self, identifier: str) -> Watch:
        return cast(Watch, self._calls.json(requests.act(identifier, "resume")))

    def accept(self, identifier: str, *, run_id: str | None = None) -> Watch:
        """Makes the latest run, or `run_id`, the baseline with which later runs are compared."""
        return cast(Watch, self._calls.json(requests.act(identifier, "accept", {"run_id": run_id} if run_id else {})))

    def runs(self, identifier: str, *, status: str | None = None) -> Iterator[WatchRun]:
        """Newest first."""
        return self._calls.pages(path_of("watches", identifier, "/runs"), "runs", status=status)


class Tintype:
    """All calls to one service with one key. Every call may raise `TintypeError`.

    `timeout` limits a whole call in seconds, further attempts included; `retries` is the number of these.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 120.0,
        retries: float = 2,
        on_retry: OnRetry | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._settings = Settings(url, key, timeout, retries, on_retry)
        self._http = http or httpx.Client()
        self._calls = Calls(self._settings, self._http)
        self.captures = Captures(self._calls)
        self.batches = Batches(self._calls)
        self.sessions = Sessions(self._calls)
        self.destinations = Destinations(self._calls)
        self.watches = Watches(self._calls)

    def take(self, request: TakeRequest, *, timeout: float | None = None, retries: float | None = None) -> Taken:
        """The bytes of a screenshot, and the information in the response headers."""
        return taken_of(self._settings.url, self._calls.send(requests.take(request), timeout, retries))

    def describe(self, request: TakeRequest, *, timeout: float | None = None, retries: float | None = None) -> Screenshot:
        """Captures in the same way, but returns a link and information about the page."""
        return cast(Screenshot, self._calls.json(requests.take(request, response_type="json"), timeout, retries))

    def signed_url(self, request: TakeRequest, *, secret: str, expires_at: datetime | None = None) -> str:
        """A link that can't be altered; requires the key's signing secret, and sends nothing."""
        return requests.signed_url(self._settings.base, self._settings.key, request, secret, expires_at)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()
