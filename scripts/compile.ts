/** Loads every module of the service once, for the image: Node keeps what it made of them for each start. */

import { readdirSync } from "node:fs";
import { prepareNode } from "../src/prepare-node.ts";

prepareNode();
const source = new URL("../src/", import.meta.url);
const entries = ["server.ts", "cli.ts"]; // they would begin to work
for (const file of readdirSync(source, { recursive: true, encoding: "utf8" }))
  if (file.endsWith(".ts") && !entries.includes(file)) await import(new URL(file, source).href);
