/** Configures Node before the service is loaded. */

import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** Modules loaded afterwards are compiled once: Node caches the result for the next start, if the folder is writable. */
export function prepareNode() {
  // Images are encoded in these threads, for seconds if they are large. With Node's four, files, names and password hashes would wait for them.
  // biome-ignore lint/style/noProcessEnv: it is a setting of Node's, read when the first thread starts
  process.env.UV_THREADPOOL_SIZE ??= "8";
  // Under load, a slowly growing heap triggers a full collection every second or two, which takes a third of the process's time. This lets
  // the heap grow to three times the memory in use. Set before the cache is enabled, because a cache is valid for one set of flags.
  setFlagsFromString("--heap-growing-percent=200");
  // The cache is next to the code rather than in a temporary folder that other users may write to, because its content is executed.
  enableCompileCache(fileURLToPath(new URL("../../.cache/compiled", import.meta.url)));
}
