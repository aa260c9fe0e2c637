/** Loads every module of the service once, which fills Node's compile cache in the image. */

import { readdirSync } from "node:fs";
import { prepareNode } from "../src/start/prepare-node.js";

prepareNode();
const source = new URL("../src/", import.meta.url);
const entry = "cli.ts"; // loading it would run the command line
for (const file of readdirSync(source, { recursive: true, encoding: "utf8" }))
  if (file.endsWith(".ts") && file !== entry) await import(new URL(file, source).href);
