/** The production entry. */

import { prepareNode } from "./prepare-node.ts";

prepareNode();
const { run } = await import("./run.ts");
await run(process.env);
