/** What Node is told before it loads the service. */

import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** What is loaded from here on is compiled once: Node keeps the outcome for the next start, where the folder may be written. */
export function prepareNode(): void {
  // A heap that grows slowly is collected whole every second or two under load, which was a third of this process' time. V8 lets a
  // heap that grows fast be up to four times what is in use; this says three. Before the cache, which keeps to the flags it was made with.
  setFlagsFromString("--heap-growing-percent=200");
  // Beside the code, not in a temporary folder: what lies there is run, and others may write to those.
  enableCompileCache(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));
}
