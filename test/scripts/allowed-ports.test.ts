/** `npm run local -- --allow PORT`, and the prompt on a terminal. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { allowedPorts, answeredPorts, keepPorts, takeAllowed, withAllowed } from "../../scripts/stack/allowed-ports.ts";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { adviceFor } from "../../src/egress/advice.ts";
import { createVet } from "../../src/egress/vet.ts";

const never = new AbortController().signal;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tintype-ports-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A terminal on which `answers` have been typed. */
function terminalWith(answers: string | undefined, isTTY = true) {
  const [input, output] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY }));
  if (answers !== undefined) input?.end(answers);
  return { input: input as PassThrough, output: output as PassThrough, printed: () => textOf(output as PassThrough) };
}

function textOf(output: PassThrough): string {
  let text = "";
  for (let chunk = output.read(); chunk !== null; chunk = output.read()) text += chunk;
  return text;
}

test("--allow accepts ports of this machine, as repeated options, comma-separated or as a pasted URL", () => {
  const taken = takeAllowed(["--allow", "5173", "--allow=8080,localhost:3333", "--allow", "http://127.0.0.1:4000/", "--once", "u", "f"]);
  assert.deepEqual(taken, { ports: [5173, 8080, 3333, 4000], rest: ["--once", "u", "f"] });
  assert.deepEqual(takeAllowed(["cli", "--allow", "5173"]), { ports: undefined, rest: ["cli", "--allow", "5173"] });
  assert.deepEqual(takeAllowed(["--allow", "none"]).ports, []);
});

test("--allow without -- before it, which npm takes for its own: the error repeats the ports with it", () => {
  const message = (named: string) => ({ message: `npm took --allow for itself. Put -- before it: npm run local -- --allow ${named}` });
  assert.throws(() => takeAllowed(["8080"], { npm_config_allow: "true" }), message("8080"));
  assert.throws(() => takeAllowed([], { npm_config_allow: "8080,5173" }), message("8080,5173"));
  assert.throws(() => takeAllowed(["--once", "https://example.com/", "f"], { npm_config_allow: "true" }), message("5173"));
});

test("a first start with a wrong --allow downloads nothing, and prints the error without a stack", () => {
  const script = fileURLToPath(new URL("../../scripts/first-start.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--allow", "example.com:80"], { encoding: "utf8" });
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^--allow is for ports of this machine, .* npm run local\n$/);
});

test("--allow rejects other hosts, ranges, link-local addresses and invalid ports, and for other hosts names the setting", () => {
  for (const text of ["169.254.169.254:80", "10.0.0.1:5173", "example.com:80", "0", "65536", "127.0.0.0/8", "*", "0.0.0.0:5173", "--once"])
    assert.throws(() => takeAllowed(["--allow", text]), { message: /EGRESS_ALLOWED_HOSTS=host:port npm run local/ }, text);
  for (const args of [["--allow"], ["--allow="]]) assert.throws(() => takeAllowed(args), { message: /--allow takes 1 to 50 ports/ });
});

test("only the named loopback ports are allowed: no other port, no link-local and no private address", async () => {
  const { EGRESS_ALLOWED_HOSTS } = withAllowed({ NODE_ENV: "development", EGRESS_ALLOWED_HOSTS: "" }, [5173]);
  const { vet } = createVet({ allowedHosts: parseAllowedHosts(EGRESS_ALLOWED_HOSTS), infrastructure: [{ host: "0.0.0.0", port: 3000 }] });
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) assert.ok((await vet(host, 5173, never)).addresses.length > 0, host);
  const refused: [host: string, port: number][] = [
    ["localhost", 5174],
    ["127.0.0.1", 3000],
    ["127.0.0.2", 5173],
    ["169.254.169.254", 5173],
    ["[fe80::1]", 5173],
    ["[fd00:ec2::254]", 5173],
    ["10.0.0.1", 5173],
    ["0.0.0.0", 5173],
  ];
  for (const [host, port] of refused) await assert.rejects(vet(host, port, never), { name: "EgressRefused" }, `${host}:${port}`);
});

test("the service's own ports can't be allowed; in production, no port can", () => {
  const settings = { NODE_ENV: "development", PORT: "3000", WEB_PORT: "3001", METRICS_PORT: "9090" };
  for (const port of [3000, 3001, 9090]) assert.throws(() => withAllowed(settings, [port]), { message: /can't be captured/ });
  assert.throws(() => withAllowed({ ...settings, NODE_ENV: "production" }, [5173]), { message: /set EGRESS_ALLOWED_HOSTS/ });
});

test("--allow is recommended for ports of this machine, except the service's own", () => {
  assert.match(adviceFor("localhost", 5173, [3000, 3001]) ?? "", /`npm run local -- --allow 5173`/);
  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    assert.equal(adviceFor(host, 3001, [3000, 3001]), `${host}:3001 is part of the service, which doesn't capture itself.`);
});

test("the question is asked once, on a terminal, and again after an invalid answer", async (t) => {
  const folder = folderOf(t);
  const terminal = terminalWith("vite\n5173, 8080\n");
  assert.deepEqual(await answeredPorts(folder, terminal, never, {}), [5173, 8080]);
  assert.match(terminal.printed(), /Which ports.*Please enter port numbers/);
  const second = terminalWith(undefined);
  assert.deepEqual(await answeredPorts(folder, second, never, {}), [5173, 8080]);
  assert.equal(second.printed(), "");
});

test("the service's own ports aren't accepted as an answer either, and are not remembered", async (t) => {
  const folder = folderOf(t);
  const terminal = terminalWith("3000, 5173\n4000\n5173\n");
  assert.deepEqual(await answeredPorts(folder, terminal, never, { METRICS_PORT: "4000" }), [5173]);
  assert.match(terminal.printed(), /Port 3000 is the service's own \(PORT\)\..*Port 4000 is the service's own \(METRICS_PORT\)\./);
  assert.equal(readFileSync(join(folder, "allowed-ports"), "utf8"), "5173\n");
  assert.deepEqual(await answeredPorts(folderOf(t), terminalWith("3000\n"), never, { PORT: "8080" }), [3000]);
});

test("Enter or the end of input means none", async (t) => {
  for (const answer of ["\n", ""]) {
    const folder = folderOf(t);
    assert.deepEqual(await answeredPorts(folder, terminalWith(answer), never, {}), []);
    assert.equal(readFileSync(join(folder, "allowed-ports"), "utf8"), "none\n");
  }
});

test("nothing is asked without a terminal, with EGRESS_ALLOWED_HOSTS or in production, where an earlier answer is ignored", async (t) => {
  const folder = folderOf(t);
  for (const [terminal, env] of [
    [terminalWith("5173\n", false), {}],
    [terminalWith("5173\n"), { EGRESS_ALLOWED_HOSTS: "10.0.0.1" }],
    [terminalWith("5173\n"), { NODE_ENV: "production" }],
  ] as const) {
    assert.deepEqual(await answeredPorts(folder, terminal, never, env), []);
    assert.equal(terminal.printed(), "");
  }
  writeFileSync(join(folder, "allowed-ports"), "5173\n");
  assert.deepEqual(await answeredPorts(folder, terminalWith(undefined), never, { NODE_ENV: "production" }), []);
});

test("--allow adds to the ports of earlier starts; none forgets them, and production ignores them", async (t) => {
  const folder = folderOf(t);
  assert.deepEqual(await allowedPorts(folder, undefined, {}), []);
  writeFileSync(join(folder, "allowed-ports"), "none\n");
  await keepPorts(folder, await allowedPorts(folder, [5173], {}));
  await keepPorts(folder, await allowedPorts(folder, [5174, 5173], {}));
  assert.equal(readFileSync(join(folder, "allowed-ports"), "utf8"), "5173,5174\n");
  assert.deepEqual(await answeredPorts(folder, terminalWith(undefined), never, {}), [5173, 5174]);
  assert.deepEqual(await allowedPorts(folder, undefined, {}), [5173, 5174]);
  assert.deepEqual(await allowedPorts(folder, [8080], { NODE_ENV: "production" }), [8080]);
  const many = Array.from({ length: 49 }, (_, index) => 6000 + index);
  await assert.rejects(allowedPorts(folder, many, {}), { message: /at most 50/ });
  await keepPorts(folder, await allowedPorts(folder, [], {}));
  assert.deepEqual(await allowedPorts(folder, undefined, {}), []);
});
