/** Creates the accounts, passwords and API keys of a local service. */

import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./child.ts";
import { root } from "./folders.ts";

/** Runs `src/cli.ts` with the service's environment and resolves with its standard output. */
function runCli(args: string[], env: Record<string, string | undefined>, signal: AbortSignal, input = ""): Promise<string> {
  return runProgram([process.execPath, join(root, "src/cli.ts"), ...args], { cwd: root, env, input, timeoutMs: 60_000, signal });
}

/** Creates or updates the database schema. */
export async function migrate(env: Record<string, string | undefined>, signal: AbortSignal): Promise<void> {
  await runCli(["migrate"], env, signal);
}

interface Account {
  email: string;
  plan: string[];
  /** Additional arguments of `key:create`. */
  key?: string[];
}

interface KeptAccount extends Account {
  /** Name of the file that stores the key. */
  file: string;
}

/** One account for trying out the service, and one without quota and rate limit for load tests. */
export const demoAccount: KeptAccount = { file: "api-key", email: "demo@example.com", plan: ["pro"] };
export const unlimitedAccount: KeptAccount = {
  file: "api-key-unlimited",
  email: "load@example.com",
  plan: ["enterprise", "--rate-limit", "1000000", "--quota", "unlimited"],
};

/** Where accounts are created, and where their keys and passwords are kept. */
interface Context {
  folder: string;
  url: string;
  env: Record<string, string | undefined>;
}

/** The account's key from `folder`; a new one if there is none or it is invalid. */
export async function keyOf(account: KeptAccount, context: Context, signal: AbortSignal): Promise<string> {
  const kept = await keptKey(account, context, signal);
  if (kept !== undefined) return kept;
  await createAccount(account, context.env, signal);
  return await createKept(account, context, signal);
}

/** Runs `keyOf` and `administratorPassword` concurrently. */
export async function keyAndPasswordOf(
  account: KeptAccount,
  context: Context,
  signal: AbortSignal,
): Promise<[key: string, password: string]> {
  const kept = await keptKey(account, context, signal);
  if (kept === undefined) await createAccount(account, context.env, signal);
  return await Promise.all([kept ?? createKept(account, context, signal), administratorPassword(account, context, signal)]);
}

/** Creates a key, and its account if missing. */
export async function newKey(account: Account, env: Context["env"], signal: AbortSignal): Promise<string> {
  await createAccount(account, env, signal);
  return await createKey(account, env, signal);
}

async function createAccount({ email, plan }: Account, env: Context["env"], signal: AbortSignal): Promise<void> {
  const [id = "", ...limits] = plan;
  const isNew = await runCli(["user:create", email, "--plan", id], env, signal).then(
    () => true,
    (error) => {
      if (/already|exists|taken/i.test(error.message)) return false;
      throw error;
    },
  );
  if (!isNew || limits.length > 0) await runCli(["plan:set", email, ...plan], env, signal);
}

function createKey({ email, key = [] }: Account, env: Context["env"], signal: AbortSignal): Promise<string> {
  return runCli(["key:create", email, "--name", "local", ...key], env, signal);
}

async function createKept(account: KeptAccount, { folder, env }: Context, signal: AbortSignal): Promise<string> {
  const key = await createKey(account, env, signal);
  await writeFile(join(folder, account.file), `${key}\n`, { mode: 0o600 });
  return key;
}

async function keptKey({ file }: KeptAccount, { folder, url }: Context, signal: AbortSignal): Promise<string | undefined> {
  const kept = (await readFile(join(folder, file), "utf8").catch(() => "")).trim();
  return kept !== "" && (await isValidKey(kept, url, signal)) ? kept : undefined;
}

/** The key is checked first, so a request without `url` gets a 403 only if the key is invalid. */
async function isValidKey(key: string, url: string, signal: AbortSignal): Promise<boolean> {
  const address = `${url}/v1/screenshots/take?${new URLSearchParams({ api_key: key })}`;
  const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]) });
  await response.body?.cancel();
  return response.status !== 403;
}

/** The account's password from `folder`; resets it if there is none or it is wrong. Makes the account an administrator. */
async function administratorPassword(account: Account, { folder, url, env }: Context, signal: AbortSignal): Promise<string> {
  const file = join(folder, "demo-password");
  // With mail, only confirmed addresses can sign in, and nobody reads this address's mail.
  if (env.SMTP_URL) await runCli(["user:confirm", account.email], env, signal);
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  const role = kept === "" ? undefined : await roleOf(account.email, kept, url, env.WEB_PUBLIC_URL ?? "", signal);
  if (role === "admin") return kept;
  const password = kept || randomBytes(9).toString("base64url");
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  await Promise.all([
    runCli(["user:grant-admin", account.email], env, signal),
    role === undefined ? runCli(["user:reset-password", account.email, "--password-stdin"], env, signal, password) : undefined,
  ]);
  return password;
}

/** Tries to sign in, and signs out again. Returns undefined if the password is wrong. */
async function roleOf(email: string, password: string, url: string, origin: string, signal: AbortSignal): Promise<string | undefined> {
  const post = (action: string, headers: Record<string, string>, body?: string) =>
    fetch(`${url}/v1/auth/${action}`, {
      method: "POST",
      headers: { origin, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
  const answer = await post("sign-in", { "content-type": "application/json" }, JSON.stringify({ email, password }));
  if (!answer.ok) {
    const { code, message } = (await answer.json()) as { code: string; message: string };
    if (code === "invalid_credentials") return undefined;
    throw new Error(`${email} can't sign in: ${message}`); // resetting the password would not help
  }
  const { user } = (await answer.json()) as { user: { role: string } | null };
  const cookie = answer.headers
    .getSetCookie()
    .map((text) => text.split(";", 1)[0])
    .join("; ");
  await (await post("sign-out", { cookie })).body?.cancel();
  return user?.role ?? "unknown"; // no user: a second factor is required
}
