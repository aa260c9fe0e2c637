/** Lines of the log reach standard output, however the process ends. */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";

const module = new URL("../../src/start/log-lines.ts", import.meta.url).href;

/** Runs `code`, in which `log` writes a numbered line. */
function program(code: string, unreadMax = ""): string {
  return `import { createLogLines } from ${JSON.stringify(module)};
    const lines = createLogLines(${unreadMax});
    const log = (number) => lines.write("line " + number + "\\n");
    ${code}`;
}

/** Standard output of a process that runs `code`. */
async function outputOf(code: string): Promise<string> {
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program(code)]);
  return await run.then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
}

const counted = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");

for (const [end, code] of Object.entries({
  "with nothing left to do": "",
  "by process.exit": "process.exit(3);",
  "by an error": 'throw new Error("an error");',
  "by process.exit, after a flush": "await new Promise((resolve) => lines.flush(resolve)); log(3000); process.exit();",
}))
  test(`a process that ends ${end} has written all lines in order`, async () => {
    const output = await outputOf(`for (let number = 0; number < 3000; number++) log(number); ${code}`);
    assert.equal(output, counted(code.includes("log(3000)") ? 3001 : 3000));
  });

test("a few lines are written while the process runs on", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program("log(0); setInterval(() => {}, 1000);")]);
  try {
    const [text] = await once(child.stdout, "data");
    assert.equal(String(text), counted(1));
  } finally {
    child.kill("SIGKILL");
  }
});

test("while nobody reads, a limited number of bytes is kept, and a line says how many lines were left out", async () => {
  const code = "for (let number = 0; number < 50_000; number++) log(number); setInterval(() => {}, 1000);";
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(code, "100_000")]);
  try {
    const kept: string[] = [];
    let leftOut = 0;
    for await (const line of createInterface(child.stdout)) {
      const { level, msg } = line.startsWith("{") ? JSON.parse(line) : {};
      if (msg === undefined) kept.push(`${line}\n`);
      else {
        assert.match(msg, /^\d+ log lines were left out, because standard output wasn't read$/);
        assert.equal(level, 40);
        leftOut += Number.parseInt(msg, 10);
      }
      if (leftOut > 0 && kept.length + leftOut === 50_000) break;
    }
    assert.equal(kept.slice(0, 9_000).join(""), counted(9_000));
  } finally {
    child.kill("SIGKILL");
  }
});
