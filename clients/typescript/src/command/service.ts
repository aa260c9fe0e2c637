/** The service that a command calls, from its options and the environment. */

import { readFile } from "node:fs/promises";
import { createTintype, type Tintype } from "../client.ts";
import type { TintypeError } from "../errors.ts";
import { say, UsageError } from "./say.ts";

/** Shared by the help of all commands. */
export const sharedUsage = `  --server=URL       address of the service, or TINTYPE_URL; by default
                     http://127.0.0.1:3000
  --key-file=FILE    file with the API key; else the environment variable
                     TINTYPE_KEY
  --wait=SECONDS     how long to wait for an answer, with further attempts
                     while the service is away or busy; without it, a service
                     that can't be reached is given up after about 5 s
`;

const defaultUrl = "http://127.0.0.1:3000";
/** Long enough for a connection that is lost once, but too short for a wrong address to look like a busy service. */
const firstAnswerMs = 5_000;

export interface Service {
  url: string;
  tintype: Tintype;
  /** How long to wait for a response. */
  waitMs: number;
}

/** @param waitSeconds the default if `--wait` is not given. @throws {UsageError} */
export async function serviceOf(own: Record<string, string>, env: NodeJS.ProcessEnv, waitSeconds: number): Promise<Service> {
  const url = own.server ?? env.TINTYPE_URL ?? defaultUrl;
  const key = own["key-file"] === undefined ? env.TINTYPE_KEY : await keyIn(own["key-file"]);
  if (!key) throw new UsageError("The API key is missing: set TINTYPE_KEY, or give --key-file=FILE.");
  const text = own.wait ?? String(waitSeconds);
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--wait must be seconds, from 1 to 999999, not ${text}.`);
  const waitMs = Number(text) * 1000;
  try {
    return {
      url,
      waitMs,
      tintype: createTintype({
        url,
        key,
        retries: Number.POSITIVE_INFINITY,
        timeoutMs: waitMs,
        onRetry: report(url),
        ...(own.wait === undefined ? { fetch: untilFirstAnswer() } : {}),
      }),
    };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A `fetch` whose failures are final, so that the client doesn't retry, once `firstAnswerMs` have passed without any response. */
function untilFirstAnswer(): typeof fetch {
  const startedAt = performance.now();
  let hasAnswered = false;
  return async (...request) => {
    try {
      const response = await fetch(...request);
      hasAnswered = true;
      return response;
    } catch (error) {
      if (hasAnswered || performance.now() - startedAt < firstAnswerMs) throw error;
      const { message, code } = ((error as Error).cause ?? error) as { message?: string; code?: string };
      const hint = "Is it running, and is its address right (--server, or TINTYPE_URL)? --wait=SECONDS waits for one that is starting";
      throw new TypeError("fetch failed", { cause: new Error(`${message || code}. ${hint}`) });
    }
  };
}

async function keyIn(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`The key can't be read: ${(error as Error).message}.`);
  }
}

function report(url: string): (error: TintypeError, delayMs: number) => void {
  return ({ message }, delayMs) => {
    say(`${url} does not answer (${message.replace(/\.$/, "")}); trying again in ${Math.ceil(delayMs / 1000)} s.`);
  };
}
