/** The production entry. What it loads is compiled once: Node keeps the outcome for the next start, where the folder may be written. */

import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Beside the code, not in a temporary folder: what lies there is run, and others may write to those.
enableCompileCache(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));

const { run } = await import("./run.ts");
await run(process.env);
