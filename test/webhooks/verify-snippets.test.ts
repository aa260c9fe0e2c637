/** The documented code for verifying webhooks, run in each language against webhooks sent by the service. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { verifyNode, verifyPhp, verifyPython } from "../../web/src/webhooks/verify-snippets.ts";
import { eventually } from "../support/eventually.ts";
import { spawnProcess } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import type { Received } from "./receiver.ts";
import { setUp } from "./set-up.ts";

const scope = fileScope();
let secret: string;
let genuine: Received;

before(async () => {
  const { webhooks, database, userId, receiver, emit, runNext } = await setUp(scope);
  await webhooks.secrets.show(database, userId);
  // After a rotation there are two signatures.
  secret = await database.transaction((transaction) => webhooks.secrets.rotate(transaction, userId));
  await emit({ data: { text: "grüße \u{1f600}" } });
  await runNext();
  genuine = receiver.received[0] ?? assert.fail();
});

/** Events, each with its expected result. */
function cases(): Record<string, [Received, boolean]> {
  const signed = (headers: Record<string, string>): Received => ({ ...genuine, headers: { ...genuine.headers, ...headers } });
  return {
    genuine: [genuine, true],
    "another body": [{ ...genuine, body: genuine.body.replace("done", "gone") }, false],
    "another id": [signed({ "webhook-id": "other" }), false],
    "no valid signature": [signed({ "webhook-signature": "v1,AAAA v2,BBBB" }), false],
    "an old timestamp": [signed({ "webhook-timestamp": String(Number(genuine.headers["webhook-timestamp"]) - 301) }), false],
  };
}

/** Whether the program, given the event as JSON in `EVENT`, exits successfully. */
function run(command: string, args: string[], event: Received): boolean {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: secret, EVENT: JSON.stringify(event) };
  return spawnSync(command, args, { env, encoding: "utf8", timeout: 30_000 }).status === 0;
}

test("the JavaScript snippet verifies webhooks", () => {
  const code = verifyNode.replace("\n\n", "\n\nconst { headers, body } = JSON.parse(process.env.EVENT);\n");
  for (const [name, [event, isGenuine]] of Object.entries(cases()))
    assert.equal(run(process.execPath, ["--input-type=module", "--eval", code], event), isGenuine, name);
});

test("the Python snippet verifies webhooks", { skip: !isInstalled("python3") && "python3 is not installed" }, () => {
  const prelude = "\n\nimport json\nevent = json.loads(os.environ['EVENT'])\nheaders, body = event['headers'], event['body'].encode()\n";
  const code = verifyPython.replace("\n\n", prelude);
  for (const [name, [event, isGenuine]] of Object.entries(cases())) assert.equal(run("python3", ["-c", code], event), isGenuine, name);
});

test("the PHP snippet verifies webhooks in PHP's built-in server", { skip: !isInstalled("php") && "php is not installed" }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-php-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "index.php"), verifyPhp);
  const port = await freePort();
  spawnProcess(t, ["php", "-S", `127.0.0.1:${port}`, "-t", folder], { WEBHOOK_SECRET: secret });
  const origin = `http://127.0.0.1:${port}/`;
  await eventually("PHP answers", () =>
    fetch(origin).then(
      () => true,
      () => false,
    ),
  );
  for (const [name, [{ headers, body }, isGenuine]] of Object.entries(cases())) {
    const sent = Object.fromEntries(Object.entries(headers).filter(([header]) => /^(webhook-|content-type)/.test(header)));
    const { status } = await fetch(origin, { method: "POST", headers: sent, body });
    assert.equal(status, isGenuine ? 200 : 400, name);
  }
});

test("docs/webhooks.md contains the same code as these tests", () => {
  const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  for (const [language, code] of Object.entries({ js: verifyNode, python: verifyPython, php: verifyPhp }))
    assert.ok(page.includes(`\`\`\`${language}\n${code}\n\`\`\``), language);
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}
