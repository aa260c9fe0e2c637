/** Child processes of scripts: their output, and how they end. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { runProgram, startChild } from "../../scripts/stack/child.ts";

const never = new AbortController().signal;
const node = (script: string) => [process.execPath, "-e", script];

/** A server that children connect to; the connection closes when the child exits. */
async function listenForChild(t: TestContext): Promise<{ port: number; arrived: Promise<Socket> }> {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const arrived = once(server, "connection").then(([socket]) => (socket as Socket).on("error", () => {}).resume());
  return { port: (server.address() as AddressInfo).port, arrived };
}

test("a child that ignores SIGTERM is killed", async (t) => {
  const { port, arrived } = await listenForChild(t);
  const child = startChild(node(`process.on("SIGTERM", () => {}); require("net").connect(${port}, "127.0.0.1")`));
  await arrived;
  await child.stop("SIGTERM", 50);
  assert.equal(await child.ended, "signal SIGKILL");
  assert.equal(child.running(), false);
});

test("exit code and output of a child that exits by itself are available", async () => {
  const child = startChild(node(`console.error("no such luck"); process.exit(3)`));
  assert.equal(await child.ended, "exit code 3");
  assert.equal(child.output(), "no such luck");
  await child.stop("SIGTERM", 50);
});

test("if the program is missing, `ended` resolves without throwing", async () => {
  const child = startChild(["/does/not/exist"]);
  assert.match(await child.ended, /ENOENT|exit code 127/);
});

test("a child exits even if its parent is killed", { skip: process.platform !== "linux" && "needs Linux" }, async (t) => {
  const { port, arrived } = await listenForChild(t);
  const url = new URL("../../scripts/stack/child.ts", import.meta.url);
  const grandchild = JSON.stringify(node(`require("net").connect(${port}, "127.0.0.1")`));
  const parent = spawn(process.execPath, ["--input-type=module", "-e", `import { startChild } from "${url}"; startChild(${grandchild})`]);
  t.after(() => parent.kill("SIGKILL"));
  const connection = await arrived;
  parent.kill("SIGKILL");
  await once(connection, "close", { signal: AbortSignal.timeout(20_000) });
});

test("a program is killed if its parent ends by an uncaught error", async (t) => {
  const { port, arrived } = await listenForChild(t);
  const url = new URL("../../scripts/stack/child.ts", import.meta.url);
  const program = JSON.stringify(node(`require("net").connect(${port}, "127.0.0.1")`));
  const script = `import { runProgram } from "${url}";
    void runProgram(${program}, { timeoutMs: 60_000, signal: new AbortController().signal });
    process.stdin.once("data", () => { throw new Error("lost terminal"); });`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "ignore", "ignore"] });
  t.after(() => parent.kill("SIGKILL"));
  const connection = await arrived;
  parent.stdin.write("go");
  await once(connection, "close", { signal: AbortSignal.timeout(20_000) });
});

test("a failing program rejects with its output", async () => {
  const failing = runProgram(node(`console.error("it rained"); process.exit(1)`), { timeoutMs: 20_000, signal: never });
  await assert.rejects(failing, { message: "it rained" });
});

test("a program that exceeds its timeout is killed", async () => {
  await assert.rejects(runProgram(node("setInterval(() => {}, 1000)"), { timeoutMs: 300, signal: never }), /timeout after 0.3 s/);
});
