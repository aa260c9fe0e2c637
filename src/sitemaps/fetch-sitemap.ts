/** Fetches a file of a sitemap through the egress filter. */

import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline, type Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "../errors.ts";
import { type Connect, openConnection } from "../open-connection.ts";

const redirectsMax = 3;
/** Of the uncompressed file: the limit of the sitemaps' protocol. */
const bytesMax = 50 * 1024 * 1024;

/**
 * Opens the file, uncompressed. Every redirect is vetted as the first address. The caller destroys the stream.
 * @throws {Error} with a public message; the signal's reason when that aborts.
 */
export async function openSitemap(address: URL, connect: Connect, signal: AbortSignal): Promise<Readable> {
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    const response = await get(url, await openConnection(url, connect, signal), signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      const next = URL.parse(headers.location, url);
      if (!next || !/^https?:$/.test(next.protocol))
        throw new AppError("invalid_url", { message: "redirects to what is no http or https URL" });
      if (redirects === redirectsMax) throw new AppError("too_many_redirects", { message: "redirects too many times" });
      url = next;
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      throw new AppError("host_returned_error", { message: `answers with status ${statusCode}` });
    }
    const isCompressed =
      headers["content-encoding"] === "gzip" || (headers["content-encoding"] === undefined && url.pathname.endsWith(".gz"));
    const text = bounded();
    pipeline(isCompressed ? [response, createGunzip(), text] : [response, text], () => {}); // its error is the last stream's, too
    return text;
  }
}

/** Resolves with the answer's head; the socket ends with the answer. */
function get(url: URL, socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      path: url.pathname + url.search,
      setHost: false,
      headers: { host: url.host, accept: "application/xml, text/xml, */*;q=0.1", "accept-encoding": "gzip", connection: "close" },
      signal,
    });
    request.on("error", reject); // also later, when the body is no longer wanted
    request.once("close", () => reject(new AppError("connection_failed", { message: "closed the connection before an answer" })));
    request.once("response", (response) => {
      response.once("close", () => socket.destroy());
      resolve(response);
    });
    request.end();
  });
}

function bounded(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length;
      if (bytes > bytesMax) next(new AppError("page_too_heavy", { message: "is larger than 50 MB" }));
      else next(null, chunk);
    },
  });
}
