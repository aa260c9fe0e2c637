/** A reporter for Node's test runner: lists the file of each failed test, one a line, relative to the checkout. */

import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { root } from "./folders.ts";

// biome-ignore lint/style/noDefaultExport: Node loads reporters by it
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === "test:fail") yield `${relative(root, data.file ?? data.name)}\n`;
}
