/** The service that a command calls, from its options and the environment. */

import { readFile } from "node:fs/promises";
import { createTintype, type Tintype } from "../client.ts";
import type { TintypeError } from "../errors.ts";
import { say, UsageError } from "./say.ts";

/** Shared by the help of all commands. */
export const sharedUsage = `  --server=URL       URL of the service, or TINTYPE_URL; by default
                     http://127.0.0.1:3000
  --key-file=FILE    file with the API key; else the environment variable
                     TINTYPE_KEY
  --wait=SECONDS     how long to wait for an answer, with further attempts
                     while the service is away or busy; without it, a service
                     that can't be reached is given up after about 5 s, and
                     one that says nothing at all after 20 s
`;

const defaultUrl = "http://127.0.0.1:3000";
/** Long enough for a connection that is lost once, but too short for a wrong address to look like a busy service. */
const firstAnswerMs = 5_000;
/** Time without any response after which the user is told, and then time for the health check that tells a capture from a dead service. */
const silentMs = 10_000;
const hint = "Is it running, and is its URL right (--server, or TINTYPE_URL)? --wait=SECONDS waits for one that is starting";

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
        fetch: untilFirstAnswer(url, waitMs, own.wait !== undefined),
      }),
    };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * A `fetch` that reports a service without a response. Unless `isPatient`, failures are final, so that the client doesn't retry, once
 * `firstAnswerMs` have passed; so is the silence of a service that answers no health check either. A capture may take minutes.
 */
function untilFirstAnswer(url: string, waitMs: number, isPatient: boolean): typeof fetch {
  const startedAt = performance.now();
  let [hasAnswered, isReported] = [false, false];
  return async (input, init = {}) => {
    if (hasAnswered) return await fetch(input, init);
    const [silence, ended] = [new AbortController(), new AbortController()];
    const check = async () => {
      if (!isReported) say(`${url} has not answered for ${silentMs / 1000} s. Waiting for up to ${waitMs / 1000} s.`);
      isReported = true;
      if (isPatient || (await isResponsive(url, ended.signal))) return;
      silence.abort(final(`it accepts connections but has not answered for ${(2 * silentMs) / 1000} s`));
    };
    const timer = setTimeout(check, silentMs);
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any([silence.signal, ...(init.signal ? [init.signal] : [])]) });
      hasAnswered = true;
      return response;
    } catch (error) {
      if (isPatient || silence.signal.aborted || performance.now() - startedAt < firstAnswerMs) throw error;
      const { message, code } = ((error as Error).cause ?? error) as { message?: string; code?: string };
      throw final(message || code || "no answer");
    } finally {
      clearTimeout(timer);
      ended.abort();
    }
  };
}

/** An error of `fetch` that the client doesn't consider temporary. */
function final(reason: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(`${reason}. ${hint}`) });
}

/** Whether a health check is answered, with whatever, within `silentMs`. A service that shuts down refuses it but finishes its captures. */
async function isResponsive(url: string, ended: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(silentMs);
  try {
    const { body } = await fetch(`${url.replace(/\/+$/, "")}/health/live`, {
      signal: AbortSignal.any([timeout, ended]),
      redirect: "manual",
    });
    await body?.cancel();
    return true;
  } catch {
    return !timeout.aborted;
  }
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
