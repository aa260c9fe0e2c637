/** Reads a site's robots.txt file. */

import type { Readable } from "node:stream";
import { AppError } from "../shared/errors.ts";
import type { ConnectTo } from "../shared/open-connection.ts";
import { runInTurns } from "../shared/turns.ts";
import { type FetchContext, fetchProblem, openResponse } from "./fetch-file.ts";
import type { TakeTurn } from "./reading-limit.ts";
import { everythingAllowed, nothingAllowed, parseRobots, type Robots } from "./robots.ts";

/**
 * The origin's rules for our user agent. `problem` says why nothing may be requested; it continues a sentence whose subject is the file.
 * @throws {AppError} `rate_limited` or `unavailable` while too many files are being read; `target_not_allowed` from `assertMayFetch`; the
 *   signal's reason.
 */
export type ReadRobots = (origin: string, reader: RobotsReader, signal: AbortSignal) => Promise<{ robots: Robots; problem?: string }>;

/** The account that will request the site's pages, and how it connects. */
export interface RobotsReader extends Pick<FetchContext, "assertMayFetch"> {
  userId: string;
  /** Connects as the captures will, through the egress filter. */
  connect: ConnectTo;
}

const timeoutMs = 15_000;
/** RFC 9309, 2.5: at least 500 KiB must be read. */
const bytesMax = 500 * 1024;

export function createReadRobots(takeTurn: TakeTurn): ReadRobots {
  return async (origin, { userId, ...fetching }, signal) => {
    const endTurn = takeTurn(userId);
    const late = AbortSignal.timeout(timeoutMs);
    try {
      return await read(new URL("/robots.txt", origin), fetching, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError && error.code === "target_not_allowed") throw error;
      const problem = late.aborted ? "did not respond in time" : error instanceof AppError ? fetchProblem(error) : "can't be read";
      return { robots: nothingAllowed, problem };
    } finally {
      endTurn();
    }
  };
}

async function read(address: URL, fetching: FetchContext, signal: AbortSignal): Promise<{ robots: Robots; problem?: string }> {
  const asked = { purpose: "robots.txt", accept: "text/plain, */*;q=0.1", encoding: "identity" };
  const response = await openResponse(address, fetching, asked, signal);
  try {
    const { statusCode = 0 } = response;
    if (statusCode >= 400 && statusCode < 500 && statusCode !== 429) return { robots: everythingAllowed };
    if (statusCode !== 200) return { robots: nothingAllowed, problem: `responds with status ${statusCode}` };
    const robots = await runInTurns(parseRobots(await firstOf(response)));
    return robots ? { robots } : { robots: nothingAllowed, problem: "has too many rules" };
  } finally {
    response.destroy();
  }
}

/** The beginning of the file, without an incomplete last line. */
async function firstOf(response: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    parts.push(part);
    bytes += part.length;
    if (bytes > bytesMax) break;
  }
  const text = Buffer.concat(parts)
    .subarray(0, bytesMax)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  return bytes > bytesMax ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
}
