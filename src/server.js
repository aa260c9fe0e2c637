/** The production entry. Plain JavaScript, with what it loads first: removing types before the compile cache is there takes 50 ms at each start. */

import { prepareNode } from "./start/prepare-node.js";

prepareNode();
const { run } = await import("./start/run.ts");
await run(process.env);
