/** A small website on loopback for tests to capture. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Site {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  origin: string;
  /** `127.0.0.1:port`, for EGRESS_ALLOWED_HOSTS. */
  host: string;
  /** Adds or replaces pages, by path. */
  serve(pages: Record<string, Page>): void;
  /** Every request so far, oldest first. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
}

/**
 * `t` closes it, and its connections, when the test ends.
 * @param address 0.0.0.0 is also this machine, but browsers don't trust it like a loopback address.
 */
export async function createSite(
  t: { after(close: () => unknown): void },
  pages: Record<string, Page> = {},
  address: "127.0.0.1" | "0.0.0.0" = "127.0.0.1",
): Promise<Site> {
  const all = { ...pages };
  const requests: Site["requests"] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split("?", 1)[0] ?? "/";
    requests.push({ path, headers: request.headers });
    const page = all[path];
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" }).end(page ?? "nothing here");
  });
  await once(server.listen(0, address), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://${address}:${port}`, host: `${address}:${port}`, serve: (more) => void Object.assign(all, more), requests };
}

/** A page of one color, so that any pixel identifies it. */
export function colouredPage(colour: string, body = ""): string {
  return `<!doctype html><title>${colour}</title><style>html{background:${colour}}body{margin:0}</style>${body}`;
}

/** Serves a page whose response is held back until `open` is called. */
export function closedPage(site: Site, path: string): { requested: () => boolean; open: () => void } {
  const opened = Promise.withResolvers<void>();
  let isRequested = false;
  site.serve({
    [path]: async (_request, response) => {
      isRequested = true;
      await opened.promise;
      response.setHeader("content-type", "text/html").end(colouredPage("#0000ff"));
    },
  });
  return { requested: () => isRequested, open: () => opened.resolve() };
}
