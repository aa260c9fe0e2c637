/** Hanging files and stopped servers: the test runner exits and names them. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { startPostgres } from "../../scripts/stack/postgres.ts";
import type { FileResult } from "../../scripts/testing/run-file.ts";
import { type RunOptions, type RunResult, runFiles } from "../../scripts/testing/run-files.ts";
import { checkSharedStack } from "../../scripts/testing/shared-stack.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { fixtures } from "./test-fixtures.ts";

const longTest = longOnly(test);
const never = new AbortController().signal;
/** A test that never ends by itself. */
const hanging = 'test("waits", () => new Promise(() => { setInterval(() => {}, 1_000); }));';

/** Runs test files with these texts. */
async function run(t: TestContext, texts: string[], changes: Changes = {}): Promise<RunResult> {
  const { folder, write } = await fixtures(t);
  const files = await Promise.all(texts.map((text, index) => write(`file-${index}`, text)));
  return await runThese(files, folder, changes);
}

type Changes = Partial<RunOptions["limits"]> & Partial<RunOptions>;

async function runThese(files: string[], folder: string, changes: Changes): Promise<RunResult> {
  const { silenceMs = 20_000, fileMs = 60_000, runMs = 60_000, checkEveryMs = 60_000, leftProcessMs = 1_000, ...options } = changes;
  const limits = { silenceMs, fileMs, runMs, checkEveryMs, leftProcessMs };
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  return await runFiles(
    files,
    { filesAtOnce: 1, flags: [], env, limits, folder, checkStack: async () => {}, onFile: () => {}, ...options },
    never,
  );
}

async function runOne(t: TestContext, text: string, limits: Partial<RunOptions["limits"]> = {}): Promise<FileResult> {
  const { files } = await run(t, [text], limits);
  assert.ok(files[0]);
  return files[0];
}

/** A zombie doesn't count as running. */
function isRunning(pid: number): boolean {
  assert.ok(pid > 0);
  return existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
}

describe("the test runner", { concurrency: 3 }, () => {
  test("passing, failing and skipped tests are distinguished, with the error and the last output", async (t) => {
    const { tests, problem, output } = await runOne(
      t,
      `console.log("a line"); test("passes", async (t) => { await t.test("inner", () => {}); });
       test("fails", () => { throw new Error("why"); }); test("skipped", { skip: true }, () => {});`,
    );
    assert.deepEqual(
      tests.map(({ name, outcome }) => `${name}: ${outcome}`),
      ["inner: passed", "passes: passed", "fails: failed", "skipped: skipped"],
    );
    assert.match(tests[2]?.error ?? "", /^Error: why\n +at /);
    assert.deepEqual([problem, output], [undefined, "a line"]);
  });

  test("nested tests, hooks and errors outside promises are attributed to their test without promise hooks", async (t) => {
    const { tests, problem, output } = await runOne(
      t,
      `import { executionAsyncId } from "node:async_hooks"; import { after, describe } from "node:test"; import { setTimeout as pause } from "node:timers/promises";
       test("outer", async () => { await pause(1); after(() => console.log("after outer")); await test("inner", () => pause(1)); });
       test("timer", async () => { setTimeout(() => { throw new Error("in a timer"); }, 1); await new Promise(() => {}); });
       test("promise", async () => { pause(1).then(() => { throw new Error("in a promise"); }); await new Promise(() => {}); });
       describe("suite", () => { after(() => console.log("after suite")); test("in suite", () => pause(1)); });
       await pause(1);
       test("last", async () => {
         const ids = []; for (let turn = 0; turn < 5; turn += 1) { await undefined; ids.push(executionAsyncId()); }
         console.log(new Set(ids).size);
       });`,
    );
    assert.deepEqual(
      tests.map(({ name, error }) => [name, error?.split("\n")[0]]),
      [
        ["inner", undefined],
        ["outer", undefined],
        ["timer", "Error: in a timer"],
        ["promise", "Error: in a promise"],
        ["in suite", undefined],
        ["last", undefined],
      ],
    );
    assert.deepEqual([problem, output.split("\n")], [undefined, ["after outer", "after suite", "1"]]);
  });

  test("a test may leave timers mocked, and delete the global ones", async (t) => {
    const { tests, problem } = await runOne(
      t,
      `import { mock } from "node:test"; test("mocks", () => { mock.timers.enable(); }); test("deletes", () => { delete globalThis.setTimeout; });`,
    );
    assert.deepEqual([tests.map(({ outcome }) => outcome), problem], [["passed", "passed"], undefined]);
  });

  longTest(
    "an additional file runs while cores are idle, but neither while they are busy nor next to a file that depends on time",
    async (t) => {
      const { folder, write } = await fixtures(t);
      // Each waits for the other's file, for at most three seconds.
      const waits = (own: string, other: string) => `
      import { existsSync, writeFileSync } from "node:fs"; import { setTimeout as pause } from "node:timers/promises";
      test("meets the other", async () => {
        writeFileSync(${JSON.stringify(join(folder, own))}, "");
        for (let tries = 0; tries < 30 && !existsSync(${JSON.stringify(join(folder, other))}); tries += 1) await pause(100);
        if (!existsSync(${JSON.stringify(join(folder, other))})) throw new Error("alone");
      });`;
      const other = await write("other", waits("b", "a"));
      const [one, timed] = [
        await write("one", waits("a", "b")),
        await write("timed", `// Depends on time: it measures.\n${waits("a", "b")}`),
      ];
      const outcomes = async (idleShare: number, ...files: string[]) => {
        for (const name of ["a", "b"]) rmSync(join(folder, name), { force: true });
        const { files: results } = await runThese(files, folder, { filesAtOnceMax: 2, idleShare: () => idleShare });
        return results.flatMap(({ tests }) => tests.map(({ outcome }) => outcome)).sort();
      };
      assert.deepEqual(
        [await outcomes(0.9, one, other), await outcomes(0.05, one, other), await outcomes(0.9, timed, other)],
        [
          ["passed", "passed"],
          ["failed", "passed"],
          ["failed", "passed"],
        ],
      );
    },
  );

  test("a file that leaves an interval running is killed, and what keeps it open is named", async (t) => {
    const { timedOut, problem } = await runOne(t, 'test("passes", () => { setInterval(() => {}, 1_000); });', { silenceMs: 4_000 });
    assert.equal(timedOut, true);
    assert.match(problem ?? "", /^did nothing for 4 s; all its tests had ended, but something keeps its process open: .*Timeout/);
  });

  test("a file that is stuck in a loop is killed, and its running test is named", async (t) => {
    const { timedOut, problem } = await runOne(
      t,
      'test("first", () => {}); test("spins", async () => { await new Promise((go) => setTimeout(go, 100)); for (;;); });',
      { silenceMs: 4_000 },
    );
    assert.equal(timedOut, true);
    assert.match(problem ?? "", /^did nothing for 4 s; running: spins$/);
  });

  longTest("servers started by a hanging file are killed even if they have their own environment", async (t) => {
    const { problem, output } = await runOne(
      t,
      `import { spawn } from "node:child_process";
       const { pid } = spawn("sleep", ["1000"], { detached: true, stdio: "ignore", env: {} }); console.log(pid); ${hanging}`,
      { silenceMs: 2_000 },
    );
    assert.match(problem ?? "", /^did nothing for 2 s; running: waits$/);
    await eventually(`the process ${output} has exited`, () => !isRunning(Number(output)));
  });

  longTest("a file whose tests never end is killed at the limit for a file", async (t) => {
    const { problem } = await runOne(
      t,
      'for (let i = 0; i < 10_000; i += 1) test("again", () => new Promise((end) => setTimeout(end, 100)));',
      {
        fileMs: 6_000,
      },
    );
    assert.match(problem ?? "", /^took more than 6 s; running: again$/);
  });

  test("a grandchild that keeps the output open doesn't keep the run open; it is killed and named", async (t) => {
    const { problem, tests } = await runOne(
      t,
      `import { spawn } from "node:child_process";
       test("passes", () => { spawn("sleep", ["1000"], { detached: true, stdio: "inherit" }).unref(); });`,
    );
    const pid = Number(/^left processes running: (\d+) \(sleep 1000\)$/.exec(problem ?? "")?.[1]);
    assert.deepEqual([pid > 0, tests.length], [true, 1], String(problem));
    await eventually("the killed process has exited", () => !isRunning(pid));
  });

  test("a file that exits before its tests have ended fails", async (t) => {
    const { problem } = await runOne(t, 'test("waits", () => new Promise(() => {})); setTimeout(() => process.exit(0), 500);');
    assert.match(problem ?? "", /^ended with exit code 0 before its tests did; running: waits$/);
  });

  longTest("a run that exceeds its limit is ended: running files are named, the rest are counted as not run", async (t) => {
    const { files, notRun, ended } = await run(t, [hanging, hanging, hanging], { runMs: 3_000 });
    assert.equal(ended, "the whole run took more than 0.05 minutes");
    assert.match(files[0]?.problem ?? "", /^was ended: the whole run took more than 0\.05 minutes; running: waits$/);
    assert.deepEqual([files.length, notRun.length], [1, 2]);
  });

  longTest("five consecutive timeouts end the run", async (t) => {
    const { files, notRun, ended } = await run(
      t,
      Array.from({ length: 7 }, () => hanging),
      { silenceMs: 1_500 },
    );
    assert.deepEqual([ended, files.length, notRun.length], ["5 files in a row timed out", 5, 2]);
  });

  test("the run ends when PostgreSQL is gone", async (t) => {
    const { folder } = await fixtures(t);
    const server = await startPostgres({ folder, throwAway: true }, () => {}, never);
    t.after(() => server.stop());
    const stack = { databaseUrl: server.url, redisUrl: process.env.TEST_REDIS_URL ?? "", folder };
    await checkSharedStack(stack);
    await server.stop();
    const { files, notRun, ended } = await run(t, [hanging, hanging], { checkEveryMs: 500, checkStack: () => checkSharedStack(stack) });
    assert.match(ended ?? "", /^PostgreSQL is gone: connect ECONNREFUSED/);
    assert.match(files[0]?.problem ?? "", /^was ended: PostgreSQL is gone: .*running: waits$/);
    assert.equal(notRun.length, 1);
  });
});
