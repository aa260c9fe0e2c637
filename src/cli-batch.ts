/** `batch`: captures the pages of a list with a service that may be elsewhere, and saves the files as they come. */

import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BatchClient, createBatchClient } from "./cli-batch-client.ts";
import { openFolder, saveFiles } from "./cli-batch-files.ts";
import { print, say, UsageError } from "./cli-command.ts";
import { createProgress } from "./cli-progress.ts";

export const batchUsage = `Usage: node src/cli.ts batch FILE --out FOLDER [--option NAME=VALUE]...

  FILE           addresses, one a line, at most 1,000; empty lines and those that
                 begin with # are ignored
  --out          where the files are saved, as NAME.EXTENSION
  --option       an option of all captures, such as full_page=true; a list of
                 values is given one by one
  --server       address of the service, or TINTYPE_URL; by default
                 http://127.0.0.1:3000
  --wait         seconds that a service which is away is waited for; by default
                 600
  --again        makes new captures of a list that was sent within a day; without
                 it, the same list goes on where it was interrupted

The API key is the environment variable TINTYPE_API_KEY. Exits with 1 if a
capture has failed.
`;

const capturesMax = 1_000;
const options = {
  out: { type: "string" },
  option: { type: "string", multiple: true },
  server: { type: "string" },
  wait: { type: "string", default: "600" },
  again: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** @param args behind the command's name. @returns the exit code. @throws {Error} with a message for the caller. */
export async function runBatch(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help) {
    print(batchUsage);
    return 0;
  }
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new UsageError("Give one file of addresses.");
  if (values.out === undefined) throw new UsageError("Missing: --out.");
  const key = env.TINTYPE_API_KEY;
  if (!key) throw new UsageError("The environment variable TINTYPE_API_KEY is missing: the API key.");
  const urls = addressesOf(await readFile(file, "utf8"));
  const body = { shared: sharedOf(values.option ?? []), captures: urls.map((url) => ({ url })) };
  const client = createBatchClient(values.server ?? env.TINTYPE_URL ?? "http://127.0.0.1:3000", key, waitMsOf(values.wait));
  await openFolder(values.out);
  process.stderr.on("error", () => {}); // its reader has left: the files are still wanted
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const { id, total } = await client.submit(body, values.again ? randomUUID() : `list-${hash}`);
  say(`Batch ${id}: ${total} captures.`);
  return await follow(client, { id, total }, urls, values.out);
}

async function follow(client: BatchClient, { id, total }: { id: string; total: number }, urls: string[], folder: string): Promise<number> {
  const progress = createProgress(total);
  let failed = 0;
  for await (const result of client.results(id, total)) {
    const { batch, error, status, outputs = [] } = result;
    const wrong = [...(error ? [error] : []), ...outputs.flatMap((output) => output.error ?? [])].map(({ message }) => message);
    if (status === "canceled") wrong.push("It was canceled.");
    wrong.push(...(await saveFiles(folder, result)));
    if (wrong.length > 0) failed += 1;
    progress.step(wrong.length > 0 ? `${urls[batch.index]}: ${wrong.join(" ")}` : undefined);
  }
  progress.end();
  say(`${total - failed} of ${total} captures are saved in ${folder}.`);
  return failed > 0 ? 1 : 0;
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function addressesOf(text: string): string[] {
  const urls = text.split(/\r?\n/).flatMap((line) => (line.trim() === "" || line.trim().startsWith("#") ? [] : line.trim()));
  if (urls.length === 0) throw new UsageError("The file has no addresses.");
  if (urls.length > capturesMax) throw new UsageError(`The file has ${urls.length} addresses, but may have at most ${capturesMax}.`);
  return urls;
}

function waitMsOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--wait must be seconds, from 0 to 999999, not ${text}.`);
  return Number(text) * 1000;
}

function sharedOf(given: string[]): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  for (const text of given) {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--option must be NAME=VALUE, not ${text}.`);
    const name = text.slice(0, at);
    values.set(name, [...(values.get(name) ?? []), text.slice(at + 1)]);
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? "") : list]));
}
