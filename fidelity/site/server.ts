/** Serves the pages, package files and generated sites on a local port. */

import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { pipeline } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { FidelityCase } from "../case.ts";
import { offline } from "./offline.ts";
import { packageFile } from "./packages.ts";
import { photographFile } from "./photographs.ts";
import { shims } from "./shims.ts";

const types: Record<string, string> = {
  ".css": "text/css",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".mp4": "video/mp4",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".yaml": "application/yaml",
};

export interface Site extends AsyncDisposable {
  /** Host with port. */
  host: string;
  /** The page's URL with a query, to which parameters can be appended. */
  url(one: FidelityCase): string;
  /** Requests for missing files so far. */
  missing(one: FidelityCase): string[];
}

/** @param sitesFolder contains the generated sites, by name. */
export async function startSite(cases: FidelityCase[], sitesFolder: string): Promise<Site> {
  const missing = new Map<string, Set<string>>();
  const note = ({ headers: { referer = "" } }: IncomingMessage, problem: string) => {
    const page = /[?&]case=([^&]+)/.exec(referer)?.[1] ?? "";
    missing.set(page, (missing.get(page) ?? new Set()).add(problem));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      note(request, `${request.url}: ${error.message}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${host}`);
    const wait = Number(url.searchParams.get("after") ?? 0);
    if (wait > 0) await pause(wait);
    if (response.destroyed) return; // the client has disconnected in the meantime
    const path = decodeURIComponent(url.pathname);
    const [, place = "", rest = ""] = /^\/([a-z]+)\/(.*)$/.exec(path) ?? [];
    if (place === "pages") {
      const html = cases.find(({ name }) => name === rest)?.html;
      if (html) return send(offline(html(url.searchParams)), "text/html; charset=utf-8", response);
    }
    if (place === "shims" && shims[rest]) return send(shims[rest], "text/javascript", response);
    if (place === "photographs") return sendFile(photographFile(Number.parseInt(rest, 10)), response);
    const file = place === "npm" ? packageFile(rest) : place === "sites" ? siteFile(rest) : undefined;
    const found =
      file && [file, join(file, "index.html"), `${file}.html`].find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
    if (!found) {
      if (path !== "/favicon.ico") note(request, path);
      return void response.writeHead(404).end();
    }
    if (extname(found) !== ".html") return sendFile(found, response);
    const html = await readFile(found, "utf8");
    const one = cases.find(({ name }) => name === url.searchParams.get("case"));
    send(offline(one?.change?.(html) ?? html, one?.edits), "text/html; charset=utf-8", response);
  }

  function siteFile(path: string): string {
    const file = normalize(join(sitesFolder, path));
    if (!file.startsWith(sitesFolder)) throw new Error(`${path} leads out of the sites`);
    return file;
  }

  return {
    host,
    url: ({ name, at }) => `http://${host}${at ?? `/pages/${name}`}?case=${name}`,
    missing: ({ name }) => [...(missing.get(name) ?? [])],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(text: string, type: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

function sendFile(file: string, response: ServerResponse): void {
  const { size } = statSync(file);
  const type = types[extname(file)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "content-length": size, "cache-control": "max-age=600" });
  pipeline(createReadStream(file), response, () => {}); // so that a client that disconnects early doesn't leave a file open
}
