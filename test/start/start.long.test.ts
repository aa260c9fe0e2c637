/** The parallel start: conditions for the first request, and cleanup after a failure. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { openGate } from "../support/gate.ts";
import { type ServerProcess, spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";

const scope = fileScope();
/** Provides the stores; the process under test is a different one. */
let stores: TestService;

before(async () => {
  stores = await startService(scope);
});

async function start(t: TestContext, settings: Record<string, string>): Promise<{ server: ServerProcess; origin: string }> {
  const port = await freePort();
  const server = spawnServer(t, { ...stores.env, HOST: "127.0.0.1", PORT: String(port), ENABLE_METRICS: "false", ...settings });
  return { server, origin: `http://127.0.0.1:${port}` };
}

const databaseAt = (port: number) => ({ DATABASE_URL: `postgresql://nobody:nothing@127.0.0.1:${port}/nowhere` });

/** The tests' own database server, which immediately reports that the database doesn't exist. */
function missingDatabase(): Record<string, string> {
  const url = new URL(stores.env.DATABASE_URL as string);
  url.pathname = "/nowhere";
  return { DATABASE_URL: url.href };
}

/** PostgreSQL's refusal of a login, as sent over the wire. */
function refusedLogin(): Buffer {
  const fields = Buffer.from("SFATAL\0C28P01\0Mwrong password\0\0");
  const head = Buffer.alloc(5, "E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** A Chromium that starts only when `let` is called; `begun` resolves with its pid once its process runs. */
async function waitingChromium(t: TestContext): Promise<{ path: string; begun: () => Promise<number>; let(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true }));
  const [path, pidFile, goFile] = ["chromium", "pid", "go"].map((name) => join(folder, name)) as [string, string, string];
  const { TEST_CHROMIUM } = process.env;
  await writeFile(path, `#!/bin/sh\necho $$ > ${pidFile}\nwhile [ ! -e ${goFile} ]; do sleep 0.02; done\nexec ${TEST_CHROMIUM} "$@"\n`);
  await chmod(path, 0o755);
  return {
    path,
    begun: async () => {
      const pid = async () => Number(await readFile(pidFile, "utf8").catch(() => ""));
      await eventually("the browser's process starts", async () => (await pid()) > 0);
      return await pid();
    },
    let: () => writeFile(goFile, ""),
  };
}

/** The message of the final line that it logged; fails unless there is exactly one. */
function lastWords(server: ServerProcess): string {
  const lines = server
    .output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const fatal = lines.filter(({ level }) => level === 60);
  assert.equal(fatal.length, 1, server.output());
  return fatal[0].msg;
}

/** Whether any process of the group is still running. */
async function isGroupAlive(pid: number): Promise<boolean> {
  await setImmediate();
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("the browser starts in parallel with the database connection, and is closed if that fails", async (t) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const connected = once(silent, "connection");
  const { port } = silent.address() as AddressInfo;
  const { server } = await start(t, databaseAt(port));
  const [socket] = await connected;
  t.after(() => silent.close());
  t.after(() => socket.destroy());
  await server.printed('"msg":"browser started"');
  const { browserPid: pid } = JSON.parse(server.output().match(/.*"msg":"browser started".*/)?.[0] ?? "");
  assert.ok(await isGroupAlive(pid));
  socket.end(refusedLogin());
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  assert.match(lastWords(server), /wrong password/);
  await eventually("no browser is left", async () => !(await isGroupAlive(pid)));
});

test("if the database login is rejected while the browser starts: exit code 1, one clear message, no remaining browser", async (t) => {
  const chromium = await waitingChromium(t);
  const { server } = await start(t, { ...missingDatabase(), PUPPETEER_EXECUTABLE_PATH: chromium.path });
  const pid = await chromium.begun();
  await chromium.let();
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  assert.match(lastWords(server), /database "nowhere" does not exist/);
  await eventually("no browser is left", async () => !(await isGroupAlive(pid)));
});

test("if database and browser both fail, there is one final message", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "chromium");
  await writeFile(path, "#!/bin/sh\nexit 1\n");
  await chmod(path, 0o755);
  const { server } = await start(t, { ...missingDatabase(), PUPPETEER_EXECUTABLE_PATH: path });
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  assert.match(lastWords(server), /database "nowhere" does not exist/);
});

test("the start waits for an initially unreachable database, logs it, and succeeds", async (t) => {
  const url = stores.env.DATABASE_URL as string;
  const gate = await openGate(t, url);
  await gate.refuse();
  const { server, origin } = await start(t, { DATABASE_URL: gate.through(url) });
  await server.printed("database is not reachable yet");
  await assert.rejects(fetch(`${origin}/health/ready`));
  await gate.mend();
  await server.printed('"msg":"ready"');
  assert.equal((await fetch(`${origin}/health/ready`)).status, 200);
});

test("no request is accepted before the browser has been verified", async (t) => {
  const chromium = await waitingChromium(t);
  const { server, origin } = await start(t, { PUPPETEER_EXECUTABLE_PATH: chromium.path });
  await server.printed('"msg":"listening for key changes"'); // the stores have responded
  await chromium.begun();
  await assert.rejects(fetch(`${origin}/health/ready`));
  await chromium.let();
  await server.printed('"msg":"ready"');
  assert.equal((await fetch(`${origin}/health/ready`)).status, 200);
  const order = ["browser started", "Server listening", '"msg":"ready"'].map((words) => server.output().indexOf(words));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test("an unhandled rejected promise is logged, and doesn't end the process", async (t) => {
  const code = "import{isMainThread}from'node:worker_threads';isMainThread&&setTimeout(()=>{Promise.reject(Error('unobserved'))},1500)";
  const { server, origin } = await start(t, { NODE_OPTIONS: `--import=data:text/javascript,${code}` });
  await Promise.all([server.printed('"ready"'), server.printed("unobserved")]);
  assert.match(server.output(), /"level":"?(50|error)"?.*a rejected promise was not handled/);
  assert.equal((await fetch(`${origin}/health/live`)).status, 200);
});

test("SIGTERM during or right after startup: exit code 0, no error, no remaining browser", async (t) => {
  const url = stores.env.DATABASE_URL as string;
  const gate = await openGate(t, url);
  await gate.refuse();
  const chromium = await waitingChromium(t);
  const waitsForDatabase = { DATABASE_URL: gate.through(url) };
  const moments: [settings: Record<string, string>, printed: string][] = [
    [waitsForDatabase, "database is not reachable yet"],
    [{ PUPPETEER_EXECUTABLE_PATH: chromium.path }, "listening for key changes"],
    [{}, '"msg":"ready"'],
    [{}, '"msg":"browser started"'],
    [{ ROLE: "worker" }, '"msg":"listening for key changes"'],
    [{ ROLE: "api" }, '"msg":"ready"'],
    [{ ROLE: "worker" }, '"msg":"ready"'],
  ];
  for (const [settings, printed] of moments) {
    const { server } = await start(t, settings);
    await server.printed(printed);
    server.child.kill("SIGTERM");
    assert.deepEqual(await server.exited, { code: 0, signal: null }, server.output());
    assert.doesNotMatch(server.output(), /"level":[56]0/);
    assert.match(server.output(), /"msg":"shut down"/);
    for (const [, pid] of server.output().matchAll(/"browserPid":(\d+)/g))
      await eventually("no browser is left", async () => !(await isGroupAlive(Number(pid))));
  }
  assert.equal(await isGroupAlive(await chromium.begun()), false);
});

test("an empty installation logs a link for the first account, an administrator; later starts don't", async (t) => {
  const env = { ...stores.env, SIGN_UP: "" };
  async function startAndReadLink() {
    const port = await freePort();
    const server = spawnServer(t, { ...env, HOST: "127.0.0.1", PORT: String(port), ENABLE_METRICS: "false" });
    await server.printed('"ready"');
    return { origin: `http://127.0.0.1:${port}`, invitation: /\/sign-up\?invitation=([\w-]+)/.exec(server.output())?.[1] };
  }
  const { origin, invitation } = await startAndReadLink();
  assert.ok(invitation);
  const person = { name: "Ada", email: "ada@example.com", password: "a password that is long enough", invitation };
  const answer = await fetch(`${origin}/v1/auth/sign-up`, {
    method: "POST",
    headers: { origin: "http://localhost:3001", "content-type": "application/json" },
    body: JSON.stringify(person),
  });
  assert.equal(answer.status, 201);
  assert.equal(((await answer.json()) as { user: { role: string } }).user.role, "admin");
  assert.equal((await startAndReadLink()).invitation, undefined);
});
