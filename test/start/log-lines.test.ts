/** Lines of the log reach standard output, however the process ends. */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { promisify } from "node:util";

const module = new URL("../../src/start/log-lines.ts", import.meta.url).href;

/** Runs `code`, in which `log` writes a numbered line. */
function program(code: string): string {
  return `import { createLogLines } from ${JSON.stringify(module)};
    const lines = createLogLines();
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
