/** Webhook addresses: those rejected on registration, before any connection. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { createVet } from "../../src/egress/vet.ts";
import { AppError } from "../../src/shared/errors.ts";
import { createConnections } from "../../src/start/network.ts";
import { createAddressCheck } from "../../src/webhooks/addresses.ts";

const { signal } = new AbortController();

function check({ allowHttp = false, allowed = "" } = {}) {
  const known: Record<string, string[]> = {
    "hooks.example": ["93.184.215.14"],
    "inside.example": ["10.0.0.8"],
    "db.example": ["93.184.215.15"],
  };
  const vet = createVet({
    allowedHosts: parseAllowedHosts(allowed),
    infrastructure: [{ host: "db.example", port: 5432 }],
    resolve: async (host) => known[host] ?? [],
  });
  return createAddressCheck({ ...createConnections(vet), allowHttp });
}

async function refusal(text: string, settings?: Parameters<typeof check>[0]): Promise<string> {
  try {
    return assert.fail(`accepted: ${await check(settings)(text, signal)}`);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "invalid_parameters");
    assert.equal(error.details?.[0]?.parameter, "webhook_url");
    assert.match(error.details?.[0]?.allowed ?? "", /URL of a public server, at most 2048 characters$/);
    return error.message;
  }
}

test("an https URL of a public server is accepted, without its fragment", async () => {
  assert.equal(await check()("https://Hooks.example/a?b=c#d", signal), "https://hooks.example/a?b=c");
  assert.equal(await check()("https://hooks.example:8443", signal), "https://hooks.example:8443/");
});

test("the error says what is wrong with a URL", async () => {
  for (const [text, expected] of [
    ["", "webhook_url must be an absolute URL."],
    ["/relative", "webhook_url must be an absolute URL."],
    ["http://hooks.example/", "webhook_url must be https."],
    ["ftp://hooks.example/", "webhook_url must be https."],
    [
      "https://user:pass@hooks.example/",
      "webhook_url must not contain a user name or password: check the signature of each request instead.",
    ],
    [`https://hooks.example/${"a".repeat(2048)}`, "webhook_url must have at most 2048 characters."],
  ] as const)
    assert.equal(await refusal(text), expected);
});

test("private addresses, metadata addresses, the service's own addresses and blocked ports are refused", async () => {
  for (const text of [
    "https://10.0.0.1/",
    "https://169.254.169.254/",
    "https://127.1/",
    "https://[::1]/",
    "https://localhost/",
    "https://hooks.example:22/",
  ])
    assert.match(await refusal(text), /resolves to an address or port that is not allowed/, text);
});

test("internal names, missing names and the service's own names are indistinguishable", async () => {
  for (const text of ["https://inside.example/", "https://missing.example/", "https://redis/", "https://db.example:5432/"])
    assert.equal(await refusal(text), "webhook_url has a host name that does not resolve to a public address.", text);
});

test("http requires WEBHOOK_ALLOW_HTTP; other schemes never work", async () => {
  assert.equal(await check({ allowHttp: true })("http://hooks.example/", signal), "http://hooks.example/");
  assert.equal(await refusal("ftp://hooks.example/", { allowHttp: true }), "webhook_url must be http or https.");
});

test("EGRESS_ALLOWED_HOSTS also allows private addresses for webhooks", async () => {
  assert.equal(await check({ allowed: "10.0.0.0/8" })("https://inside.example/", signal), "https://inside.example/");
});

test("the error names the given parameter", async () => {
  await assert.rejects(check()("nothing", signal, "url"), /^AppError: url must be an absolute URL\.$/);
});
