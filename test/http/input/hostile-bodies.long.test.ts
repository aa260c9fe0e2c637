/** `POST` bodies designed to be expensive, to crash the service, or to inject text into its log. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { parameterSchemas } from "../../../src/http/input/validation.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";

const scope = fileScope();
let service: TestService;
let key: string;

before(async () => {
  service = await startService(scope, {});
  ({ key } = await service.createAccount());
});

interface Answer {
  status: number;
  length: number;
  body: { code: string; message: string; details?: { parameter: string; message: string }[] };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const body = response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : {};
  return { status: response.status, length: text.length, body };
}

async function post(members: object, path = "/v1/screenshots/take"): Promise<Answer> {
  const headers = { "content-type": "application/json", "x-api-key": key };
  return answerOf(await fetch(`${service.origin}${path}`, { method: "POST", headers, body: JSON.stringify(members) }));
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("strings over 64 KB are rejected before they are parsed as any option, except html and markdown", async () => {
  const { html: _, markdown: __, signature: ___, ...properties } = parameterSchemas(service.services.takeSchema);
  for (const [name, schema] of Object.entries(properties)) {
    const given = name === "url" ? {} : { html: "x" };
    for (const text of [nested(100_000), "1".repeat(70_000), "404,".repeat(100_000)]) {
      const { status, body } = await post({ ...given, dry_run: true, [name]: text });
      const messages = (body.details ?? []).filter(({ parameter }) => parameter === name).map(({ message }) => message);
      assert.equal(status, 400, name);
      const refusals = [
        `${name} must have at most 65536 characters, but has ${text.length}`,
        `${name} is only for outputs of POST /v1/captures`,
      ];
      assert.ok(
        messages.some((message) => refusals.includes(message)),
        `${name}: ${messages}`,
      );
    }
    if (schema.type !== "array") continue;
    const inList = await post({ ...given, dry_run: true, [name]: ["a".repeat(70_000)] });
    assert.match(inList.body.message, new RegExp(`${name} items must have at most 65536 characters, but one has 70000`));
  }
  const lines = "a: b\n".repeat(650_000);
  assert.match((await post({ html: "x", headers: lines })).body.message, /^headers must have at most 65536 characters, but has 3250000/);
  assert.match((await post({ html: "x", cookies: { a: "b;".repeat(40_000) } })).body.message, /^cookies items must have at most 65536/);
});

test("lists sent as JSON text can't be nested more deeply than a body", async () => {
  const properties = Object.entries(parameterSchemas(service.services.takeSchema));
  for (const [name] of properties.filter(([, schema]) => schema.type === "array")) {
    for (const text of [nested(7), nested(30_000)]) {
      const sent = await answerOf(
        await service.take({ api_key: key, url: "https://example.com/", dry_run: "true", [name]: text.slice(0, 50_000) }),
      );
      const posted = await post({ html: "x", dry_run: true, [name]: text });
      assert.deepEqual([posted.status, posted.body.details?.[0]?.parameter], [400, name], `${name}: ${posted.body.message}`);
      if (text.length < 50_000) assert.deepEqual(sent.body.details, posted.body.details);
    }
  }
});

test("text that is almost a number is rejected without backtracking through its digits", { timeout: 10_000 }, async () => {
  const width = `${"1".repeat(60_000)}x`;
  assert.match((await post({ html: "x", width })).body.message, /^width must be an integer/);
});

test("members of any type cause a 400 that names them, even values that can't be converted to text", async () => {
  const hostile = { toString: {}, valueOf: {}, toJSON: {} };
  for (const name of Object.keys(service.services.takeSchema.shape)) {
    const { status, body } = await post({ ...(name === "url" ? {} : { html: "x" }), [name]: hostile });
    assert.deepEqual([status, body.details?.some(({ parameter }) => parameter === name)], [400, true], `${name}: ${body.message}`);
  }
  for (const outputs of [[{ name: hostile }], hostile, [hostile]])
    assert.equal((await post({ html: "x", outputs }, "/v1/captures")).status, 400);
  for (const more of [{ name: hostile }, { outputs: [{}], response_type: hostile }])
    assert.equal((await post({ html: "x", outputs: [{}], ...more }, "/v1/captures")).status, 400);
});

test("rejected values are not logged, and only their beginning is in the response", async () => {
  const secret = "SEKRET-of-a-target";
  const urls = [`example.com/?token=${secret}`, `a${secret}:x`, { a: secret }, [secret], `ftp://u:p@example.com/${secret}`];
  for (const url of urls) {
    assert.equal((await post({ url })).status, 400);
    if (typeof url === "string") assert.equal((await service.take({ api_key: key, url })).status, 400);
  }
  assert.equal((await post({ html: "x", width: secret, widht: secret })).status, 400);
  assert.match(service.logged(), /"parameters":\["url"\]/);
  assert.doesNotMatch(service.logged(), new RegExp(secret, "i"));
  for (const url of [`example.com/${"y".repeat(2_000)}`, `${"s".repeat(2_000)}:x`, `example.com/${"y".repeat(3_000_000)}`]) {
    const { status, length } = await post({ url });
    assert.ok(status === 400 && length < 1_500, `${length} characters`);
  }
  assert.ok(
    Math.max(
      ...service
        .logged()
        .split("\n")
        .map((line) => line.length),
    ) < 5_000,
  );
});
