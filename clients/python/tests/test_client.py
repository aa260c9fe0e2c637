"""Both clients, with a running service: see test/clients/python.long.test.ts."""

from __future__ import annotations

import asyncio
import os
import time
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

from tintype import AsyncTintype, Tintype, TintypeError
from tintype.api_types import BatchRequest

URL, KEY, SECRET, PAGE = (os.environ[name] for name in ("TINTYPE_URL", "TINTYPE_KEY", "TINTYPE_SECRET", "TINTYPE_PAGE"))
LIMITED_URL, LIMITED_KEY = os.environ["LIMITED_URL"], os.environ["LIMITED_KEY"]
BATCH: BatchRequest = {"shared": {"width": 60}, "captures": [{"url": PAGE}, {"url": PAGE, "name": "wrong", "selector": "#nowhere"}]}


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


class SynchronousTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tintype = Tintype(URL, KEY)
        self.addCleanup(self.tintype.close)

    def test_take(self) -> None:
        taken = self.tintype.take({"url": PAGE, "width": 60, "height": 40, "format": "png", "hide_selectors": ["#a", "#b, #c"]})
        self.assertEqual(taken.data[:4], b"\x89PNG")
        self.assertEqual((taken.content_type, taken.cache, taken.verdict, taken.warnings), ("image/png", "MISS", "ok", []))
        self.assertEqual((taken.target_status, taken.target_url, len(taken.id)), (200, PAGE, 36))
        self.assertGreater(taken.timings["total"], 0)
        self.assertEqual(self.tintype.describe({"url": PAGE, "width": 60})["width"], 60)

    def test_signed_url(self) -> None:
        expires = datetime.now(timezone.utc) + timedelta(minutes=1)
        link = self.tintype.signed_url(
            {"url": PAGE + "?a=1&b=ä+%20", "width": 60, "full_page": True, "hide_selectors": ["#a, #b"]}, secret=SECRET, expires_at=expires
        )
        self.assertEqual((status_of(link), status_of(link.replace("width=60", "width=61"))), (200, 403))

    def test_captures(self) -> None:
        capture = self.tintype.captures.create({"url": PAGE, "outputs": [{"name": "one", "width": 60}, {"format": "text"}]})
        self.assertEqual([output["name"] for output in capture["outputs"]], ["one", "output-2"])
        queued = self.tintype.captures.queue({"url": PAGE, "outputs": [{"width": 60}]})
        self.assertEqual(self.tintype.captures.wait(queued["id"])["status"], "done")
        with self.assertRaises(TintypeError) as caught:
            self.tintype.captures.cancel(queued["id"])
        self.assertEqual(caught.exception.code, "capture_begun")

    def test_batches(self) -> None:
        batch = self.tintype.batches.create(BATCH)
        states = list(self.tintype.batches.progress(batch["id"]))
        self.assertEqual((states[-1]["status"], states[-1]["counts"]["done"], states[-1]["counts"]["failed"]), ("done", 1, 1))
        results = list(self.tintype.batches.results(batch["id"]))
        self.assertEqual(sorted(result["status"] for result in results), ["done", "failed"])
        rest = list(self.tintype.batches.results(batch["id"], after=results[0]["id"]))
        self.assertEqual([result["id"] for result in rest], [results[1]["id"]])
        self.assertEqual(b"".join(self.tintype.batches.zip(batch["id"]))[:2], b"PK")
        again = self.tintype.batches.retry(batch["id"], BATCH)
        self.assertEqual(again and again["total"], 1)

    def test_sessions(self) -> None:
        state = {"cookies": [{"name": "sid", "value": "1", "domain": "example.com", "path": "/"}], "origins": []}
        saved = self.tintype.sessions.save({"name": "shop", "state": state})
        self.assertEqual((saved["hosts"], saved["version"]), (["example.com"], 1))
        self.assertEqual([each["name"] for each in self.tintype.sessions.list()], ["shop"])
        self.assertEqual(self.tintype.sessions.get("shop")["id"], saved["id"])
        self.tintype.sessions.remove("shop")
        self.assertEqual(list(self.tintype.sessions.list()), [])

    def test_destinations(self) -> None:
        bucket = {"name": "archive", "endpoint": PAGE, "bucket": "shots", "access_key_id": "test", "secret_access_key": "test"}
        saved = self.tintype.destinations.save(bucket)
        self.assertEqual(saved["template"], "{host}/{date}/{name}.{ext}")
        self.assertEqual([each["name"] for each in self.tintype.destinations.list()], ["archive"])
        self.assertEqual(self.tintype.destinations.get("archive")["id"], saved["id"])
        self.assertFalse(self.tintype.destinations.test("archive")["works"])
        self.tintype.destinations.remove("archive")
        self.assertEqual(self.tintype.destinations.list(), [])

    def test_watches(self) -> None:
        watch = self.tintype.watches.create({"url": PAGE, "every": "30d", "name": "of a test", "width": 60})
        self.assertEqual([each["name"] for each in self.tintype.watches.list()], ["of a test"])
        self.assertEqual(self.tintype.watches.pause(watch["id"])["state"], "paused")
        self.assertEqual(self.tintype.watches.change(watch["id"], {"name": "renamed"})["name"], "renamed")
        self.assertTrue(all(run["id"] for run in self.tintype.watches.runs(watch["id"])))
        self.tintype.watches.remove(watch["id"])
        self.assertEqual(list(self.tintype.watches.list()), [])

    def test_errors(self) -> None:
        with self.assertRaises(TintypeError) as caught:
            self.tintype.take({"url": PAGE, "quality": 0})
        error = caught.exception
        self.assertEqual((error.code, error.status, error.retryable), ("invalid_parameters", 400, False))
        self.assertEqual([detail["parameter"] for detail in error.details], ["quality"])
        with self.assertRaises(TintypeError) as caught:
            Tintype("http://127.0.0.1:2", KEY, retries=0).batches.get("none")
        self.assertEqual((caught.exception.code, caught.exception.status), ("unreachable", 0))
        with self.assertRaises(TintypeError) as caught:
            self.tintype.take({"url": PAGE, "delay": 20}, timeout=0.5)
        self.assertEqual(caught.exception.code, "timeout")
        for url, key in (("localhost:3000", KEY), (URL, "clé"), (URL, "")):
            self.assertRaises(ValueError, Tintype, url, key)

    def test_rate_limit(self) -> None:
        """A rate-limited request is retried after Retry-After, unless it could capture twice."""
        pauses: list[tuple[str, float]] = []
        limited = Tintype(LIMITED_URL, LIMITED_KEY, on_retry=lambda error, pause: pauses.append((error.code, pause)))
        self.addCleanup(limited.close)
        began = time.monotonic()
        for _ in range(2):
            self.assertEqual(list(limited.watches.list()), [])
        self.assertIn("rate_limited", [code for code, _ in pauses])
        self.assertGreaterEqual(time.monotonic() - began, sum(pause for _, pause in pauses))
        pauses.clear()
        with self.assertRaises(TintypeError) as caught:
            for _ in range(2):
                limited.captures.create({"url": PAGE, "outputs": [{"selector": "#nowhere"}]})
        self.assertIn(caught.exception.code, ("rate_limited", "selector_not_found"))
        self.assertEqual(pauses, [])


class AsynchronousTest(unittest.IsolatedAsyncioTestCase):
    async def test_calls(self) -> None:
        async with AsyncTintype(URL, KEY) as tintype:
            one, other = await asyncio.gather(
                tintype.take({"url": PAGE, "width": 60, "format": "png"}), tintype.take({"url": PAGE, "width": 61, "format": "png"})
            )
            self.assertEqual((one.data[:4], other.data[:4]), (b"\x89PNG", b"\x89PNG"))
            queued = await tintype.captures.queue({"url": PAGE, "outputs": [{"width": 60}]})
            self.assertEqual((await tintype.captures.wait(queued["id"]))["status"], "done")
            batch = await tintype.batches.create(BATCH)
            states = [state["status"] async for state in tintype.batches.progress(batch["id"])]
            self.assertEqual(states[-1], "done")
            results = [result["status"] async for result in tintype.batches.results(batch["id"])]
            self.assertEqual(sorted(results), ["done", "failed"])
            chunks = [chunk async for chunk in tintype.batches.zip(batch["id"])]
            self.assertEqual(b"".join(chunks)[:2], b"PK")
            waiting = asyncio.create_task(tintype.take({"url": PAGE, "delay": 20}))
            await asyncio.sleep(0)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting


if __name__ == "__main__":
    unittest.main()
