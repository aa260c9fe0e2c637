/** Makes the accounts and API keys of a local service. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./child.ts";
import { root } from "./folders.ts";

/** Runs `src/cli.ts` with the service's environment and resolves with its standard output. */
function runCli(args: string[], env: Record<string, string | undefined>, signal: AbortSignal): Promise<string> {
  return runProgram([process.execPath, join(root, "src/cli.ts"), ...args], { cwd: root, env, timeoutMs: 60_000, signal });
}

/** Makes or updates the tables. */
export async function migrate(env: Record<string, string | undefined>, signal: AbortSignal): Promise<void> {
  await runCli(["migrate"], env, signal);
}

interface Account {
  /** Name of the file that keeps the key. */
  file: string;
  email: string;
  plan: string[];
  /** More of `key:create`'s arguments. */
  key?: string[];
}

/** For a person who tries the service, and for load tests, which neither a quota nor a rate limit may stop. */
export const demoAccount: Account = { file: "api-key", email: "demo@example.com", plan: ["pro"] };
export const unlimitedAccount: Account = {
  file: "api-key-unlimited",
  email: "load@example.com",
  plan: ["enterprise", "--rate-limit", "1000000", "--quota", "unlimited"],
};

/** The account's key from `folder`, made anew when there is none or the service doesn't know it. */
export async function keyOf(
  account: Account,
  { folder, url, env }: { folder: string; url: string; env: Record<string, string | undefined> },
  signal: AbortSignal,
): Promise<string> {
  const file = join(folder, account.file);
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  if (kept !== "" && (await isKnown(kept, url, signal))) return kept;
  await runCli(["user:create", account.email], env, signal).catch((error) => {
    if (!/already|exists|taken/i.test(error.message)) throw error;
  });
  await runCli(["plan:set", account.email, ...account.plan], env, signal);
  const key = await runCli(["key:create", account.email, "--name", "local", ...(account.key ?? [])], env, signal);
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** A request that asks for nothing is refused for its missing `url`, unless it is refused for its key before that. */
async function isKnown(key: string, url: string, signal: AbortSignal): Promise<boolean> {
  const address = `${url}/v1/screenshots/take?${new URLSearchParams({ api_key: key })}`;
  const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]) });
  await response.body?.cancel();
  return response.status !== 403;
}
