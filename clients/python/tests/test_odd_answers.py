"""Both faces of the client with answers that no Tintype gives, but what stands between may: see test/clients/python.test.ts."""

from __future__ import annotations

import asyncio
import pickle
import socket
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any

from tintype import AsyncTintype, Tintype, TintypeError
from tintype.api_types import CaptureState

KEY = "0" * 32
JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
IMAGE = b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\nx-screenshot-id: one\r\n"


def answered(head: bytes, body: bytes) -> list[bytes]:
    return [head + b"content-length: %d\r\n\r\n" % len(body) + body]


class OddServer:
    """Answers each connection with the parts of the next answer, the last one again and again, a tenth of a second apart."""

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
                for part in parts:
                    connection.sendall(part)
                    time.sleep(0.1)
            except OSError:
                pass


class OddAnswersTest(unittest.TestCase):
    def errors_of(self, url: str, call: Callable[[Any], Any], timeout: float = 5) -> list[TintypeError]:
        """Of both faces."""

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
            "no JSON": answered(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n", b"<h1>Sign in</h1>"),
            "half of it": answered(JSON, b'{"id":'),
            "nested": answered(JSON, b"[" * 100_000),
            "another encoding": answered(JSON, b'{"id":"\xff"}'),
            "empty": answered(JSON, b""),
            "elsewhere": answered(b"HTTP/1.1 301 Moved\r\nlocation: https://other.example/\r\n", b""),
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

    def test_an_answer_that_breaks_off_is_an_error(self) -> None:
        cut = [IMAGE + b"content-length: 100\r\n\r\nhalf"]
        zipped = [IMAGE + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone"]
        for answer in (cut, zipped):
            for error in self.errors_of(OddServer(self, answer).url, lambda tintype: tintype.take({"url": "x"})):
                self.assertEqual((error.code, error.retryable), ("unreachable", True))
        with Tintype(OddServer(self, cut).url, KEY) as tintype, self.assertRaises(TintypeError):
            list(tintype.batches.zip("x"))

    def test_a_body_that_comes_slowly_does_not_outlast_the_deadline(self) -> None:
        slow = [IMAGE + b"content-length: 1000\r\n\r\n", *[b"x"] * 600]
        for error in self.errors_of(OddServer(self, slow).url, lambda tintype: tintype.take({"url": "x"}), timeout=0.5):
            self.assertEqual(error.code, "timeout")

    def test_headers_that_others_changed_are_ignored(self) -> None:
        odd = b"age: soon\r\nx-target-status: \r\nx-ratelimit-reset: 99999999999999\r\nx-ratelimit-limit: 5, 5;w=1\r\nserver-timing: a;dur=1.2.3\r\n"
        with Tintype(OddServer(self, answered(IMAGE + odd, b"x")).url, KEY) as tintype:
            taken = tintype.take({"url": "x"})
        self.assertEqual((taken.age_seconds, taken.target_status, taken.rate_limit, taken.timings), (None, None, 0, {"a": 1.2}))

    def test_a_result_that_is_cut_off_comes_again(self) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n"
        server = OddServer(self, answered(JSON, b'{"total":2}'), [head + b'{"id":"1"}\n{"id":'], answered(JSON, b'{"status":"running"}'), [head + b'{"id":"2"}\n'])
        with Tintype(server.url, KEY) as tintype:
            results: list[CaptureState] = list(tintype.batches.results("x"))
        self.assertEqual([result["id"] for result in results], ["1", "2"])
        self.assertTrue(server.requests[3].startswith("GET /v1/batches/x/results?follow=true&after=1 "), server.requests)

    def test_ids_stay_ids(self) -> None:
        server = OddServer(self, answered(JSON, b"{}"))
        with Tintype(server.url, KEY) as tintype:
            tintype.watches.change("a/../b?c#d", {"name": "x"})
            with self.assertRaises(ValueError):
                tintype.watches.get("")
        self.assertEqual(server.requests, ["PATCH /v1/watches/a%2F..%2Fb%3Fc%23d HTTP/1.1"])

    def test_settings(self) -> None:
        for url in ("ftp://host", "http://", "http://host:99999", "http://[::1", "//host", "http://host?x"):
            with self.assertRaises(ValueError, msg=url):
                Tintype(url, KEY)
        server = OddServer(self, answered(JSON, b"{}"))
        with Tintype(f"{server.url}/below/", KEY, timeout=float("inf")) as tintype:
            tintype.watches.get("x")
            self.assertNotIn(KEY, repr(vars(tintype)))
        self.assertEqual(server.requests, ["GET /below/v1/watches/x HTTP/1.1"])

    def test_an_error_can_be_sent_to_another_process(self) -> None:
        error = TintypeError("No.", code="not_found", status=404, retryable=False, retry_after_seconds=1.5)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), vars(again)), (str(error), vars(error)))
