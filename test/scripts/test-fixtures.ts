/** Writes test files for tests of the test runner. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Fixtures {
  folder: string;
  /** @returns the path of a test file that contains `text`, which may call `test`. */
  write(name: string, text: string): Promise<string>;
}

/** Removed when the test ends. */
export async function fixtures(t: { after(close: () => unknown): void }): Promise<Fixtures> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, text: string) => {
    const file = join(folder, `${name}.test.ts`);
    await writeFile(file, `import { test } from "node:test";\n${text}`);
    return file;
  };
  return { folder, write };
}
