/** Serves the pages in its own process: without delay on one port, with a network's delay on another. */

import { createReadStream, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname } from "node:path";
import { pipeline } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { packageFile } from "./packages.ts";
import { pages } from "./pages.ts";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".map": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};

const html = new Map(pages.map((page) => [`/${page.name}`, page.html()]));
const missing = new Set<string>();

/** 30 to 100 ms, constant for each URL. */
function delayOf(path: string): number {
  return 30 + (crc32(path) % 71);
}

async function answer(request: IncomingMessage, response: ServerResponse, isSlow: boolean): Promise<void> {
  const url = new URL(request.url ?? "/", "http://site");
  if (url.pathname === "/missing") return void response.end(JSON.stringify([...missing]));
  if (isSlow) await pause(delayOf(url.pathname + (url.searchParams.get("n") ?? "")));
  if (response.destroyed) return; // the client has disconnected
  const page = html.get(url.pathname);
  if (page !== undefined) return sendText(page, "text/html; charset=utf-8", response);
  if (url.pathname === "/favicon.ico") return void response.writeHead(204).end();
  if (url.pathname === "/fonts.css") return await fontFaces(url.searchParams.get("faces") ?? "", response);
  const [, packageName, file] = /^\/npm\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  if (packageName !== undefined && file !== undefined && sendFile(packageFile(packageName, file), response)) return;
  missing.add(url.pathname);
  response.writeHead(404).end();
}

/** A style sheet like that of a font service, with several faces whose files are in packages. */
async function fontFaces(faces: string, response: ServerResponse): Promise<void> {
  const sheets = await Promise.all(
    faces.split(",").map(async (face) => {
      const [family = "", style = ""] = face.split("/");
      const css = await readFile(packageFile(`@fontsource/${family}`, `${style}.css`), "utf8");
      return css.replaceAll("./files/", `/npm/@fontsource/${family}/files/`);
    }),
  );
  sendText(sheets.join("\n"), "text/css", response.setHeader("cache-control", "max-age=600"));
}

/** Sends Content-Length, from which a page's weight is counted. */
function sendText(text: string, type: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

function sendFile(file: string, response: ServerResponse): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return false;
  const type = types[extname(file)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "content-length": stat.size, "cache-control": "max-age=600" });
  pipeline(createReadStream(file), response, () => {}); // closes the file if the client disconnects
  return true;
}

for (const [port, isSlow] of [
  [process.env.FAST_PORT, false],
  [process.env.SLOW_PORT, true],
] as const) {
  createServer((request, response) => {
    answer(request, response, isSlow).catch((error) => {
      missing.add(`${request.url}: ${error}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  }).listen(Number(port), "127.0.0.1");
}
