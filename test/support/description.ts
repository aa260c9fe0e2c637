/** The service's OpenAPI document, generated once for all test files of a run, because that takes a third of a second. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenApi } from "../../src/http/openapi/openapi.ts";
import type { TakeSchema } from "../../src/screenshots/take/take-options.ts";
import { version } from "../../src/shared/version.ts";

/** Shared by the files of a run; without it, each process generates its own. */
const folder = process.env.TEST_SHARED_FOLDER;
let made: object | undefined;

/** @param schema of any service: its limits appear only in the descriptions of requests, which are not checked. */
export function describeAnswers(schema: TakeSchema): object {
  made ??= folder ? shared(join(folder, "openapi.json"), schema) : createOpenApi(schema, version);
  return made;
}

function shared(path: string, schema: TakeSchema): object {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    const document = createOpenApi(schema, version);
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(document));
    renameSync(`${path}.${process.pid}`, path); // other processes see the complete file or none
    return document;
  }
}
