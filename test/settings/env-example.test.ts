/** `.env.example`: three blocks, with rarely used settings last. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { root } from "../../scripts/stack/folders.ts";
import { settings } from "../../src/settings/config.ts";
import { readConfig } from "../../src/settings/read-config.ts";

const text = readFileSync(join(root, ".env.example"), "utf8");

test(".env.example lists every setting once", () => {
  const names = [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
  const ofDashboard = ["WEB_TRUST_PROXY", "WEB_LISTEN_HOST", "API_PUBLIC_URL"];
  assert.deepEqual(names.toSorted(), [...Object.keys(settings.shape), ...ofDashboard].toSorted());
});

test("the first block of .env.example has all required settings: with a secret filled in, the service starts", async () => {
  const [, first = ""] = text.split(/^# You .*\n# -+\n/m);
  const env = parseEnv(first);
  assert.deepEqual(env, parseEnv(text));
  await assert.rejects(readConfig(env), { message: /^The settings are not valid:\n {2}- AUTH_SECRET is missing[^\n]*$/ });
  assert.equal((await readConfig({ ...env, AUTH_SECRET: "x".repeat(32) })).DATABASE_HOST, "localhost");
  for (const name of Object.keys(env))
    await assert.rejects(readConfig({ ...env, AUTH_SECRET: "x".repeat(32), [name]: "" }), { name: "ConfigError" }, name);
});
