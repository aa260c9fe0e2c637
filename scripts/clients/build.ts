/** Builds the TypeScript client: `npm run build` in `clients/typescript`. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../stack/child.ts";
import { root } from "../stack/folders.ts";
import { interruption } from "../stack/interrupt.ts";

const folder = join(root, "clients", "typescript");
const signal = interruption();
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

await rm(join(folder, "dist"), { recursive: true, force: true });
for (const project of ["tsconfig.json", "tsconfig.command.json"])
  await runProgram([process.execPath, tsc, "--project", join(folder, project)], { cwd: root, timeoutMs: 5 * 60_000, signal });
