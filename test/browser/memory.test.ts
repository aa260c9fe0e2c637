/** The memory meter: bytes used by a process group, for any kernel page size. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { endianness, tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createMemoryMeter } from "../../src/browser/supervisor.ts";

/** A fake `/proc` of a kernel with pages of `pageBytes`: one process for each entry, with its group and its resident pages. */
async function procOf(t: TestContext, pageBytes: number, processes: { pid: number; group: number; pages: number }[]): Promise<string> {
  const proc = await mkdtemp(join(tmpdir(), "tintype-proc-"));
  t.after(() => rm(proc, { recursive: true }));
  const entries = [16n, 0x178bfbffn, 6n, BigInt(pageBytes), 17n, 100n, 0n, 0n];
  const vector = Buffer.alloc(entries.length * 8);
  for (const [index, entry] of entries.entries())
    endianness() === "LE" ? vector.writeBigUInt64LE(entry, index * 8) : vector.writeBigUInt64BE(entry, index * 8);
  await mkdir(join(proc, "self"));
  await writeFile(join(proc, "self", "auxv"), vector);
  for (const { pid, group, pages } of processes) {
    await mkdir(join(proc, String(pid)));
    const fields = ["S", 1, group, ...Array(18).fill(0), pages, ...Array(28).fill(0)];
    await writeFile(join(proc, String(pid), "stat"), `${pid} (chromium (1) x) ${fields.join(" ")}`);
  }
  return proc;
}

for (const pageBytes of [4096, 16_384, 65_536]) {
  test(`with pages of ${pageBytes} bytes, the memory of a group is the sum of its processes' pages`, async (t) => {
    const proc = await procOf(t, pageBytes, [
      { pid: 10, group: 10, pages: 300 },
      { pid: 11, group: 10, pages: 200 },
      { pid: 20, group: 20, pages: 7 },
    ]);
    const usage = createMemoryMeter(proc)(new Set([10, 20]));
    assert.deepEqual([...usage].sort(), [
      [10, 500 * pageBytes],
      [20, 7 * pageBytes],
    ]);
  });
}

test("a running process's memory agrees with VmRSS", { skip: process.platform !== "linux" && "needs /proc" }, async (t) => {
  const child = spawn(process.execPath, ["-e", "console.log(); setInterval(() => {}, 60_000)"], { detached: true });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const { pid = 0 } = child;
  const reported = Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024;
  const ratio = (createMemoryMeter()(new Set([pid])).get(pid) ?? 0) / reported;
  assert.ok(ratio > 0.8 && ratio < 1.25, String(ratio)); // the kernel's two counters differ slightly
});

test("without /proc, nothing is measured", () => {
  assert.equal(createMemoryMeter("/nonexistent")(new Set([1])).size, 0);
});
