"""Both clients with responses that Tintype never sends but intermediaries may: see test/clients/python.long.test.ts."""

from __future__ import annotations

import asyncio
import pickle
import socket
import threading
import time
import unittest
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any
from unittest.mock import patch

import httpx

from tintype import AsyncTintype, Tintype, TintypeError, synchronous
from tintype.api_types import CaptureState

KEY = "0" * 32
JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
IMAGE = b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\nx-screenshot-id: one\r\n"
ZIP = b"HTTP/1.1 200 OK\r\ncontent-type: application/zip\r\n"
LINES = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n"
SIGN_IN = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n"
BATCH = b'{"id":"x","status":"running","total":2}'


def answered(head: bytes, body: bytes) -> list[bytes]:
    return [head + b"content-length: %d\r\n\r\n" % len(body) + body]


class OddServer:
    """Answers each connection with the parts of the next response, a tenth of a second apart; the last response is repeated."""

    def __init__(self, test: unittest.TestCase, *answers: list[bytes]) -> None:
        self.requests: list[str] = []
        self.answers = list(answers)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        test.addCleanup(self.listener.close)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection:
            received = b""
            while b"\r\n\r\n" not in received:
                received += connection.recv(65_536)
            self.requests.append(received.split(b"\r\n")[0].decode())
            parts = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            try:
                for index, part in enumerate(parts):
                    time.sleep(0.1 if index > 0 else 0)
                    connection.sendall(part)
            except OSError:
                pass


class OddAnswersTest(unittest.TestCase):
    def errors_of(self, url: str, call: Callable[[Any], Any], timeout: float = 5) -> list[TintypeError]:
        """The errors of both clients."""

        async def asynchronously() -> None:
            async with AsyncTintype(url, KEY, retries=0, timeout=timeout) as tintype:
                await call(tintype)

        with Tintype(url, KEY, retries=0, timeout=timeout) as tintype, self.assertRaises(TintypeError) as one:
            call(tintype)
        with self.assertRaises(TintypeError) as other:
            asyncio.run(asynchronously())
        return [one.exception, other.exception]

    def test_what_is_not_of_the_service_is_said(self) -> None:
        answers = {
            "no JSON": answered(SIGN_IN, b"<h1>Sign in</h1>"),
            "nothing": [b"HTTP/1.1 204 No Content\r\n\r\n"],
            "half of it": answered(JSON, b'{"id":'),
            "nested": answered(JSON, b"[" * 100_000),
            "another encoding": answered(JSON, b'{"id":"\xff"}'),
            "empty": answered(JSON, b""),
            "elsewhere": answered(b"HTTP/1.1 301 Moved\r\nlocation: https://other.example/\r\n", b""),
            "no new answer": [b"HTTP/1.1 304 Not Modified\r\n\r\n"],
            "another error": answered(b"HTTP/1.1 403 No\r\ncontent-type: application/json\r\nretry-after: \xb2\r\n", b'["no"]'),
        }
        for name, answer in answers.items():
            url = OddServer(self, answer).url
            calls: list[Callable[[Any], Any]] = [lambda tintype: tintype.take({"url": "x"}), lambda tintype: tintype.watches.get("x")]
            for call in calls:
                for error in self.errors_of(url, call):
                    self.assertEqual(error.code, "unexpected_answer", name)
                    self.assertFalse(error.retryable, name)
                    if name == "elsewhere":
                        self.assertIn("redirects to https://other.example/", str(error))
                    if name == "no JSON":
                        self.assertRegex(str(error), r"It sent text/html rather than (application/json|a screenshot with X-Screenshot-Id)\.$")

    def test_json_of_another_shape_is_an_error(self) -> None:
        calls: dict[str, Callable[[Any], Any]] = {
            "an object with id": lambda tintype: tintype.watches.get("x"),
            "an object with id, ended_at": lambda tintype: tintype.captures.wait("x"),
            "an object with id, status, total": lambda tintype: tintype.batches.get("x"),
        }
        for expected, call in calls.items():
            for body in ("null", "[]", "{}", '"text"', '{"id":null}', '{"id":1,"ended_at":1,"status":1,"total":"1"}'):
                for error in self.errors_of(OddServer(self, answered(JSON, body.encode())).url, call):
                    self.assertEqual(error.code, "unexpected_answer", body)
                    self.assertIn(f"rather than {expected}.", str(error))

    def test_lists_of_another_shape_are_errors(self) -> None:
        for body in ("null", '{"watches":null}', '{"watches":[],"next_cursor":1}', '{"watches":[1],"next_cursor":null}'):
            with Tintype(OddServer(self, answered(JSON, body.encode())).url, KEY) as tintype, self.assertRaises(TintypeError) as caught:
                list(tintype.watches.list())
            self.assertEqual(caught.exception.code, "unexpected_answer", body)
        server = OddServer(self, answered(JSON, b'{"watches":[],"next_cursor":"again"}'))
        with Tintype(server.url, KEY) as tintype, self.assertRaises(TintypeError):
            list(tintype.watches.list())
        self.assertEqual(len(server.requests), 2)

    def test_a_removal_that_was_not_made_is_an_error(self) -> None:
        with Tintype(OddServer(self, answered(SIGN_IN, b"Sign in")).url, KEY) as tintype, self.assertRaises(TintypeError):
            tintype.watches.remove("x")
        with Tintype(OddServer(self, [b"HTTP/1.1 204 No Content\r\n\r\n"]).url, KEY) as tintype:
            tintype.watches.remove("x")

    def test_errors_of_another_shape_are_errors(self) -> None:
        head = b"HTTP/1.1 400 No\r\ncontent-type: application/json\r\n"
        body = b'{"code":1,"message":["no"],"retryable":"false","details":"all","requestId":7}'
        with Tintype(OddServer(self, answered(head, body)).url, KEY) as tintype, self.assertRaises(TintypeError) as caught:
            tintype.watches.get("x")
        error = caught.exception
        self.assertEqual((str(error), error.code), ("The service answered with status 400.", "unexpected_answer"))
        self.assertEqual((error.retryable, error.details, error.request_id), (False, [], None))

    def test_streams_of_another_type_are_errors(self) -> None:
        first = answered(JSON, BATCH)
        cases: list[tuple[str, list[list[bytes]], Callable[[Tintype], Any]]] = [
            ("text/event-stream", [], lambda tintype: list(tintype.batches.progress("x"))),
            ("application/x-ndjson", [first], lambda tintype: list(tintype.batches.results("x"))),
            ("application/zip", [], lambda tintype: list(tintype.batches.zip("x"))),
        ]
        for expected, before, call in cases:
            server = OddServer(self, *before, answered(SIGN_IN, b"data: Sign in\n\n"))
            with Tintype(server.url, KEY) as tintype, self.assertRaises(TintypeError) as caught:
                call(tintype)
            self.assertEqual(caught.exception.code, "unexpected_answer")
            self.assertIn(f"It sent text/html rather than {expected}.", str(caught.exception))
        for line in (b"null\n", b"[]\n", b"{}\n", b"<p>\n"):
            server = OddServer(self, first, answered(LINES, line))
            with Tintype(server.url, KEY) as tintype, self.assertRaises(TintypeError) as caught:
                list(tintype.batches.results("x"))
            self.assertEqual(caught.exception.code, "unexpected_answer")

    def test_streams_that_bring_nothing_end(self) -> None:
        zipped = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n"
        events = zipped.replace(b"content-encoding: gzip\r\n", b"")
        cases = {
            "It sent what can't be decompressed rather than": answered(zipped, b"data: no"),
            "It sent 10 empty answers in a row rather than": answered(events, b""),
            "It sent a line of more than 16000000 characters rather than": answered(events, b"x" * 16_100_000),
        }
        for expected, answer in cases.items():
            with patch.object(synchronous, "RESTART_PAUSE", 0), Tintype(OddServer(self, answer).url, KEY) as tintype:
                with self.assertRaises(TintypeError) as caught:
                    list(tintype.batches.progress("x"))
            self.assertIn(f"{expected} text/event-stream.", str(caught.exception))
            self.assertEqual(caught.exception.code, "unexpected_answer")

    def test_lines_are_whole_wherever_their_texts_end(self) -> None:
        first, last = b'{"id":"1","status":"done","ended_at":null}', b'{"id":"2","status":"done","ended_at":"\xc3\xa9"}'
        body = first + b"\n\n\n" + last + b"\n"
        for end in (1, len(first), len(first) + 1, len(body) - 4):
            lines = [LINES + b"\r\n" + body[:end], body[end:]]
            with Tintype(OddServer(self, answered(JSON, BATCH), lines).url, KEY) as tintype:
                self.assertEqual([result["id"] for result in tintype.batches.results("x")], ["1", "2"])

    def test_a_dry_run_has_no_id(self) -> None:
        with Tintype(OddServer(self, answered(JSON, b'{"dry_run":true}')).url, KEY) as tintype:
            self.assertEqual(tintype.describe({"url": "x", "dry_run": True}), {"dry_run": True})

    def test_retry_after_is_seconds_or_a_date(self) -> None:
        soon = datetime.now(timezone.utc) + timedelta(seconds=90)
        dates = [format_datetime(soon, usegmt=True), soon.strftime("%A, %d-%b-%y %H:%M:%S GMT"), soon.strftime("%a %b %d %H:%M:%S %Y")]
        past = ["Sun, 06 Nov 1994 08:49:37 GMT"]
        wrong = ["0x10", "Infinity", "inf", "nan", "-1", "+1", "1.5", "1_0", "1 2", "1000000000", "soon", "Sun, 06 Nov 9994 08:49:37 GMT"]
        wrong += ["Sun, 99 Nov 2099 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0100", "2099-11-06T08:49:37Z"]
        for text in ["7", *dates, *past, *wrong]:
            head = f"HTTP/1.1 429 Slow\r\ncontent-type: application/json\r\nretry-after: {text}\r\n".encode()
            with Tintype(OddServer(self, answered(head, b"{}")).url, KEY, retries=0) as tintype, self.assertRaises(TintypeError) as caught:
                tintype.watches.get("x")
            after = caught.exception.retry_after_seconds
            if text in dates:
                self.assertTrue(after is not None and 60 < after <= 91, f"{text}: {after}")
            else:
                self.assertEqual(after, 7 if text == "7" else 0 if text in past else None, text)

    def test_an_answer_that_breaks_off_is_an_error(self) -> None:
        cut = [IMAGE + b"content-length: 100\r\n\r\nhalf"]
        zipped = [IMAGE + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone"]
        for answer in (cut, zipped):
            for error in self.errors_of(OddServer(self, answer).url, lambda tintype: tintype.take({"url": "x"})):
                self.assertEqual((error.code, error.retryable), ("unreachable", True))
        with Tintype(OddServer(self, cut).url, KEY) as tintype, self.assertRaises(TintypeError):
            tintype.watches.get("x")
        with Tintype(OddServer(self, [ZIP + b"content-length: 100\r\n\r\nhalf"]).url, KEY) as tintype, self.assertRaises(TintypeError) as caught:
            list(tintype.batches.zip("x"))
        self.assertIsInstance(caught.exception.__cause__, httpx.RequestError)

    def test_a_body_that_comes_slowly_does_not_outlast_the_deadline(self) -> None:
        slow = [IMAGE + b"content-length: 1000\r\n\r\n", *[b"x"] * 600]
        for error in self.errors_of(OddServer(self, slow).url, lambda tintype: tintype.take({"url": "x"}), timeout=0.5):
            self.assertEqual(error.code, "timeout")
        headers = [b"HTTP/1.1 200 OK\r\n", *[b"x: y\r\n"] * 600]

        async def take() -> None:
            async with AsyncTintype(OddServer(self, headers).url, KEY, retries=0, timeout=0.5) as tintype:
                await tintype.take({"url": "x"})

        with self.assertRaises(TintypeError) as caught:
            asyncio.run(take())
        self.assertEqual(caught.exception.code, "timeout")
        self.assertIsInstance(caught.exception.__cause__, TimeoutError)

    def test_headers_that_others_changed_are_ignored(self) -> None:
        odd = b"age: soon\r\nx-target-status: \r\nx-ratelimit-reset: 99999999999999\r\nx-ratelimit-limit: 5, 5;w=1\r\nserver-timing: a;dur=1.2.3\r\n"
        with Tintype(OddServer(self, answered(IMAGE + odd, b"x")).url, KEY) as tintype:
            taken = tintype.take({"url": "x"})
        self.assertEqual((taken.age_seconds, taken.target_status, taken.rate_limit, taken.timings), (None, None, 0, {"a": 1.2}))

    def test_a_result_that_is_cut_off_comes_again(self) -> None:
        def line(number: int) -> bytes:
            return b'{"id":"%d","status":"done","ended_at":null}' % number

        head = LINES + b"\r\n"
        server = OddServer(self, answered(JSON, BATCH), [head + line(1) + b'\n{"id":'], answered(JSON, BATCH), [head + line(2) + b"\n"])
        with Tintype(server.url, KEY) as tintype:
            results: list[CaptureState] = list(tintype.batches.results("x"))
        self.assertEqual([result["id"] for result in results], ["1", "2"])
        self.assertTrue(server.requests[3].startswith("GET /v1/batches/x/results?follow=true&after=1 "), server.requests)

    def test_what_is_no_id_is_refused_before_a_request(self) -> None:
        server = OddServer(self, answered(JSON, b"{}"))
        identifiers: list[Any] = ["", ".", "..", "a/b", "a%2fb", "a?b", "a#b", "a b", "a\n", "\u0661", None, 1, uuid.uuid4(), {"id": "x"}]
        with Tintype(server.url, KEY) as tintype:
            calls: list[Callable[[Any], Any]] = [
                tintype.watches.get,
                tintype.captures.cancel,
                lambda one: list(tintype.watches.runs(one)),
                lambda one: list(tintype.batches.zip(one)),
            ]
            for identifier in identifiers:
                for call in calls:
                    with self.assertRaisesRegex(ValueError, "^An id has letters, digits and dashes", msg=identifier):
                        call(identifier)
            for key in ("a b", "a\r\nx: y", "é", "", "x" * 256):
                with self.assertRaisesRegex(ValueError, "idempotency_key"):
                    tintype.batches.create({}, idempotency_key=key)
            with self.assertRaises(ValueError):
                tintype.take({"url": "x", "delay": float("nan")})
            not_requests: list[Any] = ["https://example.com", None, [{"url": "x"}]]
            for request in not_requests:
                for make in (tintype.take, tintype.captures.create, tintype.batches.create, tintype.watches.create):
                    with self.assertRaisesRegex(TypeError, "^A request is a dictionary of options"):
                        make(request)
        self.assertEqual(server.requests, [])

    def test_settings(self) -> None:
        wrong: list[Any] = ["ftp://host", "http://", "http://host:99999", "http://[::1", "//host", "host", "http://host?k=secret", "http://host/#secret"]
        wrong += ["http://me:secret@host", "http://secret@host", "http://@host?secret", "http://host/ x", " http://host", "", None, httpx.URL("http://host?secret")]
        for url in wrong:
            with self.assertRaises(ValueError, msg=url) as caught:
                Tintype(url, KEY)
            self.assertNotIn("secret", str(caught.exception))
        for options in ({"timeout": 0}, {"timeout": None}, {"timeout": "5"}, {"timeout": float("nan")}, {"retries": None}):
            given: dict[str, Any] = options
            with self.assertRaisesRegex(ValueError, "timeout|retries"):
                Tintype("http://host", KEY, **given)
        with self.assertRaises(ValueError) as swapped:
            Tintype(KEY, "http://host")
        self.assertNotIn(KEY, str(swapped.exception))
        not_keys: list[Any] = [None, "", b"bytes", "a b"]
        for key in not_keys:
            with self.assertRaisesRegex(ValueError, "API key"):
                Tintype("http://host", key)
        server = OddServer(self, answered(JSON, b'{"id":"x"}'))
        with Tintype(f"{server.url}/below/", KEY, timeout=1e30) as tintype:
            tintype.watches.get("x")
            self.assertNotIn(KEY, repr(vars(tintype)))
        self.assertEqual(server.requests, ["GET /below/v1/watches/x HTTP/1.1"])

    def test_an_error_can_be_sent_to_another_process(self) -> None:
        error = TintypeError("No.", code="not_found", status=404, retryable=False, retry_after_seconds=1.5)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), vars(again)), (str(error), vars(error)))
