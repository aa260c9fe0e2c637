/** The metrics of requests, as a scrape reads them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../../src/telemetry/metrics.ts";

test("requests are counted by route and status, and their durations by route, also across scrapes", async () => {
  const metrics = createMetrics();
  const scraped = async () =>
    (await metrics.registry.metrics()).split("\n").filter((line) => /^tintype_http_request\w*\{.*"\/a"/.test(line));
  metrics.countRequest("/a", 200, 0.005);
  metrics.countRequest("/a", 200, 0.3);
  assert.ok((await scraped()).includes('tintype_http_requests_total{route="/a",status="200"} 2'));
  metrics.countRequest("/a", 304, 90);
  metrics.countRequest("/b", 200, 1);
  const lines = await scraped();
  for (const line of [
    'tintype_http_requests_total{route="/a",status="200"} 2',
    'tintype_http_requests_total{route="/a",status="304"} 1',
    'tintype_http_request_seconds_bucket{le="0.005",route="/a"} 1',
    'tintype_http_request_seconds_bucket{le="0.25",route="/a"} 1',
    'tintype_http_request_seconds_bucket{le="0.5",route="/a"} 2',
    'tintype_http_request_seconds_bucket{le="60",route="/a"} 2',
    'tintype_http_request_seconds_bucket{le="+Inf",route="/a"} 3',
    'tintype_http_request_seconds_sum{route="/a"} 90.305',
    'tintype_http_request_seconds_count{route="/a"} 3',
  ])
    assert.ok(lines.includes(line), `${line} in\n${lines.join("\n")}`);
});
