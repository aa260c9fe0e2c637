/** `batch`: captures the pages in a list or a sitemap, and saves the files as they arrive. */

import { createHash, randomUUID } from "node:crypto";
import type { Batch, BatchRequest } from "../api.generated.ts";
import type { BatchResult } from "../batches.ts";
import { TintypeError } from "../errors.ts";
import { type Given, readArguments } from "./arguments.ts";
import { openFolder, saveFiles } from "./files.ts";
import { type Address, addressesIn } from "./lists.ts";
import { batchOptions } from "./options.generated.ts";
import { createProgress } from "./progress.ts";
import { exitCodes, exitsUsage, print, say, UsageError } from "./say.ts";
import { serviceOf, sharedUsage } from "./service.ts";

const batchUsage = `Usage: tintype batch FILE --out=FOLDER [--NAME=VALUE]...
       tintype batch --sitemap=URL --out=FOLDER [--limit=N] [--NAME=VALUE]...

  FILE               addresses, one a line, at most 1,000; empty lines and those
                     that begin with # are ignored; - is standard input
  --sitemap=URL      the pages that a sitemap lists, the first 1,000 or --limit
  --out=FOLDER       where the files are saved, as NAME.EXTENSION
  --NAME=VALUE       an option of all captures, such as --full_page or
                     --format=png; repeat it for a list of values
  --again            makes new captures of a list that was sent within a day;
                     without it, the same list goes on where it was interrupted
${sharedUsage}
${exitsUsage}`;

const own = { out: true, sitemap: true, limit: true, again: false };
const waitSeconds = 600;

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runBatch(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const given = readArguments(args, own, batchOptions);
  if (given.own.help !== undefined) {
    print(batchUsage.trimEnd());
    return exitCodes.done;
  }
  const { out } = given.own;
  if (out === undefined) throw new UsageError("Missing: --out=FOLDER.");
  const { url, tintype, waitMs } = await serviceOf(given.own, env, waitSeconds);
  const addresses = await addressesOf(given);
  const body = bodyOf(given, addresses);
  await openFolder(out);
  process.once("SIGINT", () => {
    say("\nInterrupted. Run the same command again to go on.");
    process.exit(exitCodes.interrupted);
  });
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const idempotencyKey = given.own.again === undefined ? `list-${hash}` : randomUUID();
  try {
    const batch = await tintype.batches.create(body, { idempotencyKey });
    say(`Batch ${batch.id}: ${batch.total} captures.`);
    return await follow(tintype.batches.results(batch.id), batch, body, out);
  } catch (error) {
    if (!(error instanceof TintypeError && error.retryable)) throw withLines(error, addresses);
    const reason = (error.code === "timeout" ? ((error.cause as Error | undefined)?.message ?? "no answer") : error.message).replace(
      /\.$/,
      "",
    );
    const message = `${url} has not answered for ${waitMs / 1000} s (${reason}). Run the same command again to go on.`;
    throw new TintypeError(message, { ...error, cause: error });
  }
}

/** The addresses in the list; none with a sitemap. */
async function addressesOf({ positionals: [file, ...others], own: { sitemap, limit } }: Given): Promise<Address[]> {
  if (others.length > 0 || (file === undefined) === (sitemap === undefined))
    throw new UsageError("Give one file of addresses, - for standard input, or --sitemap=URL.");
  if (limit !== undefined && (sitemap === undefined || !/^\d+$/.test(limit)))
    throw new UsageError("--limit is a number of pages, and for --sitemap only.");
  return file === undefined ? [] : await addressesIn(file);
}

function bodyOf({ own: { sitemap, limit }, options }: Given, addresses: Address[]): BatchRequest {
  const pages =
    sitemap === undefined
      ? { captures: addresses.map(({ url }) => ({ url })) }
      : { sitemap_url: sitemap, ...(limit === undefined ? {} : { limit: Number(limit) }) };
  return { shared: options, ...pages } as BatchRequest;
}

/** Replaces the request entries that the service names in errors with the lines of the list, which is what the user knows. */
function withLines(error: unknown, addresses: Address[]): unknown {
  if (!(error instanceof TintypeError) || addresses.length === 0) return error;
  const message = error.message.replace(/\bcaptures\[(\d+)\]\.url\b/g, (entry, index) => {
    const { line } = addresses[Number(index)] ?? {};
    return line === undefined ? entry : `line ${line}`;
  });
  return new TintypeError(message, { ...error, cause: error });
}

async function follow(results: AsyncIterable<BatchResult>, { total }: Batch, { captures }: BatchRequest, folder: string): Promise<number> {
  const progress = createProgress(total);
  let [ended, failed] = [0, 0];
  for await (const result of results) {
    const { batch, error, status, outputs = [] } = result;
    const wrong = [...(error ? [error] : []), ...outputs.flatMap((output) => output.error ?? [])].map(({ message }) => message);
    if (status === "canceled") wrong.push("It was canceled.");
    wrong.push(...(await saveFiles(folder, result)));
    if (wrong.length > 0) failed += 1;
    ended += 1;
    progress.step(wrong.length > 0 ? `${captures?.[batch.index]?.url ?? batch.name}: ${wrong.join(" ")}` : undefined);
  }
  progress.end();
  const gone = total - ended;
  if (gone > 0) say(`${gone} of ${total} captures are no longer kept. Send the list with --again.`);
  say(`${ended - failed} of ${total} captures are saved in ${folder}.`);
  return failed + gone > 0 ? exitCodes.failed : exitCodes.done;
}
