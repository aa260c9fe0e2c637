/** A Chromium that follows speculation rules, which the service's flags disable. */

import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "./scope.ts";

/** An executable for `PUPPETEER_EXECUTABLE_PATH`. `t` removes it when the test ends. */
export async function prefetchingChromium(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "chromium");
  // If a flag is repeated, Chromium uses the last one.
  await writeFile(path, `#!/bin/sh\nexec "${process.env.TEST_CHROMIUM}" "$@" --enable-features=None --disable-features=None\n`);
  await chmod(path, 0o755);
  return path;
}
