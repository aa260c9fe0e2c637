/** `take`: one screenshot as a file, or on standard output. */

import { once } from "node:events";
import { extname } from "node:path";
import type { TakeOptions } from "../take.ts";
import { readArguments } from "./arguments.ts";
import { assertFile, writeWhole } from "./files.ts";
import { takeOptions } from "./options.generated.ts";
import { exitCodes, exitsUsage, print, say, UsageError } from "./say.ts";
import { serviceOf, sharedUsage } from "./service.ts";

const takeUsage = `Usage: tintype take URL [-o FILE] [--NAME=VALUE]...

  URL                the page; none with --html or --markdown
  -o, --out=FILE     by default, and with -, standard output; the ending is the
                     format unless --format is given: .jpg, .png, .webp, .avif,
                     .pdf, .html, .mhtml, .txt, .md, .webm, .mp4, .gif,
                     .har, .jsonl; without an ending it is a JPEG
  --NAME=VALUE       an option of the capture, such as --full_page,
                     --format=png or --wait_until=load; docs/options.md lists all
${sharedUsage}
${exitsUsage}A page with a warning, such as a sign-in instead of the article, is captured: 0.
`;

const formats: Record<string, string> = {
  ".jpg": "jpeg",
  ".jpeg": "jpeg",
  ".png": "png",
  ".webp": "webp",
  ".avif": "avif",
  ".pdf": "pdf",
  ".html": "html",
  ".mhtml": "mhtml",
  ".txt": "text",
  ".md": "markdown",
  ".gif": "gif",
  ".mp4": "mp4",
  ".webm": "webm",
  ".har": "har",
  ".jsonl": "console",
};
const waitSeconds = 120;
/** Options whose responses can't be saved as a file. */
const unfit = ["response_type", "dry_run", "error_image", "signature"];
const known = Object.fromEntries(Object.entries(takeOptions).filter(([name]) => !unfit.includes(name)));

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runTake(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { positionals, own, options } = readArguments(args, { out: true }, known);
  if (own.help !== undefined) {
    print(takeUsage.trimEnd());
    return exitCodes.done;
  }
  const [url, ...others] = positionals;
  const isDocument = options.html !== undefined || options.markdown !== undefined;
  if (others.length > 0 || (url === undefined) !== (isDocument || options.url !== undefined)) throw new UsageError("Give one URL.");
  const { out = "-" } = own;
  if (out === "-" && process.stdout.isTTY) throw new UsageError("Give a file, -o FILE: a screenshot is nothing for a terminal.");
  if (out !== "-") await assertFile(out);
  const format = options.format === undefined ? formatOf(out) : undefined;
  const { tintype } = await serviceOf(own, env, waitSeconds);
  const request = { ...(url === undefined ? {} : { url }), ...(format ? { format } : {}), ...options } as TakeOptions;
  const { data, warnings, verdict } = await tintype.take(request);
  for (const warning of warnings) say(`Warning: ${warning}`);
  if (!["ok", "unknown"].includes(verdict.kind)) say(`The page is not what was wanted (${verdict.kind}): ${verdict.reason}`);
  if (out === "-") {
    if (!process.stdout.write(data)) await once(process.stdout, "drain");
  } else {
    try {
      await writeWhole(out, data);
    } catch (error) {
      say(`${out} could not be saved: ${(error as Error).message}.`);
      return exitCodes.failed;
    }
    say(`${out}: ${data.byteLength} bytes.`);
  }
  return exitCodes.done;
}

/** The format of a file with this name; undefined without an ending. @throws {UsageError} if no format has its ending. */
function formatOf(file: string): string | undefined {
  const ending = extname(file);
  if (ending === "") return undefined;
  const { [ending.toLowerCase()]: format } = formats;
  if (format !== undefined) return format;
  if (ending.toLowerCase() === ".json") throw new UsageError(`${file}: add --format=metadata or --format=elements.`);
  const { ".jpeg": _, ...others } = formats;
  throw new UsageError(`No format has the ending ${ending}: use ${Object.keys(others).join(", ")}, or add --format=NAME.`);
}
