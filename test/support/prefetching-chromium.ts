/** A Chromium that prefetches and prerenders what pages suggest, which the service's own flags switch off. */

import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "./scope.ts";

/** Path of an executable for `PUPPETEER_EXECUTABLE_PATH`; removed by `t`. */
export async function prefetchingChromium(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "chromium");
  // Of several flags with one name Chromium takes the last.
  await writeFile(path, `#!/bin/sh\nexec "${process.env.TEST_CHROMIUM}" "$@" --enable-features=None --disable-features=None\n`);
  await chmod(path, 0o755);
  return path;
}
