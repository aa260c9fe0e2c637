/**
 * The production entry point. It and its first import are plain JavaScript: stripping types before the compile cache is enabled adds 50 ms
 * to every start.
 */

import { prepareNode } from "./start/prepare-node.js";

prepareNode();
const { run } = await import("./start/run.ts");
await run(process.env);
