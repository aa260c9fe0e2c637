/** Request targets as bytes, at the dashboard's own server: it forwards only a path and an optional query. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { exchange, type RawAnswer } from "../support/raw.ts";
import { fileScope } from "../support/scope.ts";
import { startDashboardServer } from "./dashboard.ts";

const scope = fileScope();
const take = "/v1/screenshots/take";
let origin: string;
/** What reached the API. */
const forwarded: { target: string | undefined; host: string | string[] | undefined }[] = [];

before(async () => {
  const api = createServer(({ url, headers }, response) => {
    forwarded.push({ target: url, host: headers["x-forwarded-host"] });
    response.end();
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  scope.after(() => api.close());
  const port = await freePort();
  const { port: apiPort } = api.address() as AddressInfo;
  await startDashboardServer(scope, { WEB_SERVER_URL: `http://127.0.0.1:${apiPort}`, WEB_PORT: String(port) });
  origin = `http://127.0.0.1:${port}`;
});

async function send(target: string, method = "GET"): Promise<RawAnswer> {
  const text = `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const [response] = await exchange(origin, { pieces: [text], methods: [method] });
  assert.ok(response, target);
  return response;
}

test('a "#" in a request target causes a 400 and is not forwarded', async () => {
  const query = "api_key=a&url=https%3A%2F%2Fexample.com%2F";
  for (const target of [
    `${take}#${query}`,
    `${take}#${query}&x=?url=b`,
    `${take}?${query}#`,
    "/#",
    "/keys?#a",
    "/assets/#",
    "/healthz#",
    "/%zz#",
  ])
    for (const method of ["GET", "HEAD", "POST", "PURGE"]) {
      const response = await send(target, method);
      assert.equal(response.status, 400, `${method} ${target}`);
      if (method === "HEAD") continue;
      const { code, message, error, retryable } = JSON.parse(response.body.toString());
      assert.deepEqual([code, error, retryable], ["invalid_parameters", message, false]);
      assert.match(message, /"#".*%23/);
    }
  assert.deepEqual(forwarded, []);
});

test("a request target that is neither a path nor an http URL causes a 400 and is not forwarded", async () => {
  for (const target of ["*", `ftp://a${take}`, `http://somebody@a${take}`, `http://${take}`])
    assert.equal((await send(target)).status, 400, target);
  assert.deepEqual(forwarded, []);
});

test("a request target in absolute form is forwarded as its path", async () => {
  await send(`http://dashboard.example:8080${take}?a=b?c`);
  await send("HTTP://dashboard.example/v1?x=/v1/account"); // not an API path
  await send(`${take}?a=http://b/c`);
  assert.deepEqual(forwarded.splice(0), [
    { target: `${take}?a=b?c`, host: "dashboard.example:8080" },
    { target: `${take}?a=http://b/c`, host: "a" },
  ]);
});

test("a path with dot segments causes a 400 and is not forwarded", async () => {
  for (const up of ["..", ".", "%2e%2E", ".%2e"])
    for (const slash of ["/", "%2F", "%2f", "\\", "%5c"])
      for (const end of ["", `${slash}internal`, "?a=b"]) {
        const response = await send(`/v1/a${slash}${up}${end}`);
        assert.equal(response.status, 400, `${slash}${up}${end}`);
        assert.match(JSON.parse(response.body.toString()).message, /a "\." or "\.\." segment/);
      }
  assert.deepEqual(forwarded, []);
  for (const target of ["/v1/..a", "/v1/a..", "/v1/a.b", "/v1/a?b=/../c"]) await send(target);
  assert.deepEqual(
    forwarded.splice(0).map(({ target }) => target),
    ["/v1/..a", "/v1/a..", "/v1/a.b", "/v1/a?b=/../c"],
  );
});
