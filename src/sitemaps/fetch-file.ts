/** Fetches sitemap files, and robots.txt, through the egress filter. */

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { addAbortSignal, pipeline, type Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError, isFailure } from "../shared/errors.ts";
import { exchange, informationalMax } from "../shared/exchange.ts";
import { type ConnectTo, openConnection } from "../shared/open-connection.ts";
import { parseUrl } from "../shared/urls.ts";
import { version } from "../shared/version.ts";

/** RFC 9309 asks for at least five. */
const redirectsMax = 5;
const mebibyte = 1024 * 1024;
/** Limit per uncompressed sitemap file, from the sitemaps protocol. */
const fileBytesMax = 50 * mebibyte;
/** Limit for all of a sitemap's files together, uncompressed. That much takes a few seconds to parse. */
const bytesMax = 100 * mebibyte;

export interface FetchContext {
  connect: ConnectTo;
  /** Called with each URL before connecting. @throws {AppError} if it may not be fetched. */
  assertMayFetch: (url: URL) => void;
}

export interface SitemapContext extends FetchContext {
  /** Total size of the sitemap's files so far, in bytes. */
  bytes: number;
}

/**
 * Opens the file, decompressing it if necessary. The caller destroys the stream.
 * @param fetching `bytes` grows as the file is read.
 * @throws {AppError} from `assertMayFetch`, or one that `fetchProblem` describes; any other error that prevented a response; an
 *   `AbortError` or the signal's reason if it aborts.
 */
export async function openSitemap(address: URL, fetching: SitemapContext, signal: AbortSignal): Promise<Readable> {
  const response = await openResponse(address, fetching, sitemap, signal);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new AppError("host_returned_error", { message: `responds with status ${response.statusCode}` });
  }
  const text = bounded(fetching);
  const parts = (await isCompressed(response, signal)) ? [response, createGunzip(), text] : [response, text];
  pipeline(parts, () => {}); // an error also destroys the last stream, where the caller will see it
  return addAbortSignal(signal, text); // what has already arrived isn't read, either
}

const sitemap = { purpose: "sitemap", accept: "application/xml, text/xml, */*;q=0.1", encoding: "gzip" };

interface Asked {
  /** Part of the user agent. */
  purpose: string;
  accept: string;
  encoding: string;
}

/**
 * Follows redirects, which are vetted like the original URL. The caller destroys the response.
 * @throws {AppError} from `assertMayFetch`, or one that `fetchProblem` describes; any other error that prevented a response; an
 *   `AbortError` or the signal's reason if it aborts.
 */
export async function openResponse(address: URL, fetching: FetchContext, asked: Asked, signal: AbortSignal): Promise<IncomingMessage> {
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    fetching.assertMayFetch(url);
    const response = await get(url, asked, await openConnection(url, fetching.connect, signal), signal);
    const { statusCode = 0, headers } = response;
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return response;
    response.destroy();
    const next = parseUrl(headers.location, url);
    if (!next || !/^https?:$/.test(next.protocol))
      throw new AppError("invalid_url", { message: "redirects to a URL that is not http or https" });
    if (redirects === redirectsMax) throw new AppError("too_many_redirects", { message: "redirects too many times" });
    url = next;
  }
}

/** Resolves once the response's headers have arrived. The socket closes with the response. */
async function get(url: URL, { purpose, accept, encoding }: Asked, socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { host: url.host, "user-agent": `Tintype/${version} (${purpose})`, accept, "accept-encoding": encoding };
  try {
    const response = await exchange(socket, url.pathname + url.search, { method: "GET", headers }, signal);
    return response.once("close", () => socket.destroy());
  } catch (error) {
    socket.destroy();
    if (!isFailure(error, "host_returned_error")) throw error;
    const message = `sends more than ${informationalMax} informational responses (1xx) instead of the file`;
    throw new AppError("host_returned_error", { message });
  }
}

/** Detects gzip by its magic bytes: servers disagree on how to declare compressed files. */
async function isCompressed(response: IncomingMessage, signal: AbortSignal): Promise<boolean> {
  if (response.errored) throw response.errored; // its event has passed
  await once(response, "readable", { signal });
  const head: Buffer | null = response.read();
  if (head) response.unshift(head);
  return head?.[0] === 0x1f && head[1] === 0x8b;
}

function bounded(fetching: SitemapContext): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length;
      fetching.bytes += chunk.length;
      if (bytes > fileBytesMax) next(new AppError("page_too_heavy", { message: "is larger than 50 MB" }));
      else if (fetching.bytes > bytesMax) next(new AppError("page_too_heavy", { message: "has more than 100 MB of files in total" }));
      else next(null, chunk);
    },
  });
}

const messages: Partial<Record<AppError["code"], string>> = {
  target_blocked: "resolves to an address or port that is not allowed",
  name_not_resolved: "has a host name that does not resolve to a public address",
  connection_failed: "can't be reached",
  proxy_failed: "can't be reached through the proxy",
};

/** Describes the problem as the rest of a sentence whose subject is the file. */
export function fetchProblem({ code, message }: AppError): string {
  // Servers that exceed a limit of TLS were reached: see open-connection.ts.
  if (code === "connection_failed" && message.startsWith("The server sends ")) return message.slice("The server ".length, -1);
  return messages[code] ?? message;
}
