/** `batch`: captures the pages of a list, a sitemap or a site, and saves the files as they arrive. */

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
       tintype batch --crawl=URL --out=FOLDER [--depth=N] [--limit=N]
                     [--include=PATTERN]... [--exclude=PATTERN]... [--NAME=VALUE]...

  FILE               addresses, one a line, at most 1,000; empty lines and those
                     that begin with # are ignored; - is standard input
  --sitemap=URL      the pages that a sitemap lists, the first 1,000 or --limit
  --crawl=URL        a page, and the pages of its site that it links to, directly
                     or over up to --depth links, 3 by default; --limit pages,
                     100 by default
  --include=PATTERN  with --crawl: only pages whose path matches, such as /docs/*;
  --exclude=PATTERN  no pages whose path matches. Repeat them for several
  --out=FOLDER       where the files are saved, as NAME.EXTENSION
  --NAME=VALUE       an option of all captures, such as --full_page or
                     --format=png; repeat it for a list of values
  --again            makes new captures of a list that was sent within a day;
                     without it, the same list goes on where it was interrupted
${sharedUsage}
${exitsUsage}`;

const own = { out: true, sitemap: true, crawl: true, limit: true, depth: true, include: "lines", exclude: "lines", again: false } as const;
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
    say(batch.crawl ? `Batch ${batch.id}: pages of ${batch.crawl.url}.` : `Batch ${batch.id}: ${batch.total} captures.`);
    const ended = () => tintype.batches.get(batch.id);
    return await follow(tintype.batches.results(batch.id), { batch, body, ended }, out);
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

/** The addresses in the list; none with a sitemap or a site. */
async function addressesOf({ positionals: [file, ...others], own }: Given): Promise<Address[]> {
  const { sitemap, crawl, limit, depth } = own;
  if (others.length > 0 || [file, sitemap, crawl].filter((one) => one !== undefined).length !== 1)
    throw new UsageError("Give one file of addresses, - for standard input, --sitemap=URL, or --crawl=URL.");
  if (limit !== undefined && (file !== undefined || !/^\d+$/.test(limit)))
    throw new UsageError("--limit is a number of pages, and for --sitemap and --crawl only.");
  if (depth !== undefined && !/^\d+$/.test(depth)) throw new UsageError("--depth is a number of links.");
  const misplaced = (["depth", "include", "exclude"] as const).find((name) => own[name] !== undefined && crawl === undefined);
  if (misplaced) throw new UsageError(`--${misplaced} is for --crawl only.`);
  return file === undefined ? [] : await addressesIn(file);
}

function bodyOf({ own: { sitemap, crawl, ...own }, options }: Given, addresses: Address[]): BatchRequest {
  const limit = own.limit === undefined ? {} : { limit: Number(own.limit) };
  if (sitemap !== undefined) return { shared: options, sitemap_url: sitemap, ...limit } as BatchRequest;
  if (crawl === undefined) return { shared: options, captures: addresses.map(({ url }) => ({ url })) } as BatchRequest;
  const depth = own.depth === undefined ? {} : { depth: Number(own.depth) };
  const patterns = Object.fromEntries(
    (["include", "exclude"] as const).flatMap((name) => (own[name] === undefined ? [] : [[name, own[name].split("\n")]])),
  );
  return { shared: options, crawl: { url: crawl, ...depth, ...limit, ...patterns } } as BatchRequest;
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

interface Followed {
  batch: Batch;
  body: BatchRequest;
  /** The batch's state once it has ended. */
  ended: () => Promise<Batch>;
}

async function follow(results: AsyncIterable<BatchResult>, { batch, body: { captures }, ended: read }: Followed, folder: string) {
  const progress = createProgress(batch.crawl ? undefined : batch.total);
  let [ended, failed] = [0, 0];
  for await (const result of results) {
    const { batch: place, error, status, outputs = [] } = result;
    const wrong = [...(error ? [error] : []), ...outputs.flatMap((output) => output.error ?? [])].map(({ message }) => message);
    if (status === "canceled") wrong.push("It was canceled.");
    wrong.push(...(await saveFiles(folder, result)));
    if (wrong.length > 0) failed += 1;
    ended += 1;
    progress.step(wrong.length > 0 ? `${captures?.[place.index]?.url ?? place.name}: ${wrong.join(" ")}` : undefined);
  }
  progress.end();
  const { total, crawl } = batch.crawl ? await read() : batch;
  const gone = total - ended;
  if (gone > 0) say(`${gone} of ${total} captures are no longer kept. Send the list with --again.`);
  say(`${ended - failed} of ${total} captures are saved in ${folder}.`);
  if (crawl && crawl.left_out.length > 0) say(`Left out: ${crawl.left_out.map(({ reason, count }) => `${count} ${reason}`).join(", ")}.`);
  return failed + gone > 0 ? exitCodes.failed : exitCodes.done;
}
