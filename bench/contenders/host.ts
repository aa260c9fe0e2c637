/** A minimal HTTP server around a screenshot function, with Tintype's query parameters. */

import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

export interface Shot {
  url: string;
  /** Rendered in place of the page at `url`, in a window of the size of `card`. */
  html?: string;
  fullPage: boolean;
  type: "jpeg" | "png";
}

export interface Contender {
  shoot(shot: Shot): Promise<Uint8Array>;
}

export const viewport = { width: 1280, height: 720 } as const;
/** Size of a link's image in a feed. */
export const card = { width: 1200, height: 630 } as const;
export const quality = 80;

/** The Chromium and sandbox setting for all contenders. */
export const executablePath = process.env.PUPPETEER_EXECUTABLE_PATH ?? "";
export const sandbox = process.env.CHROMIUM_SANDBOX !== "false";

/** Without these flags, text renders differently from the reference. */
export const samePixels = ["--font-render-hinting=none", "--force-color-profile=srgb"];

/** Flags for every contender, in addition to its defaults. */
export const extraArgs = [...samePixels, ...(sandbox ? [] : ["--no-sandbox"])];

/** Listens on `PORT`; `/health/ready` returns 200 once `starting` has resolved. Exits on SIGTERM, along with its children. */
export function serve(starting: Promise<Contender>): void {
  let contender: Contender | undefined;
  starting.then(
    (started) => {
      contender = started;
    },
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://host");
    if (pathname === "/health/ready" || contender === undefined) return void response.writeHead(contender ? 200 : 503).end();
    const type = request.method === "POST" || searchParams.get("format") === "png" ? "png" : "jpeg";
    const shot = { url: searchParams.get("url") ?? "", fullPage: searchParams.get("full_page") === "true", type } as const;
    const shooting =
      request.method === "POST" ? htmlOf(request).then((html) => contender?.shoot({ ...shot, html })) : contender.shoot(shot);
    shooting.then(
      (bytes = new Uint8Array()) => response.writeHead(200, { "content-type": `image/${type}`, "content-length": bytes.length }).end(bytes),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(Number(process.env.PORT), "127.0.0.1");
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(0));
}

async function htmlOf(request: IncomingMessage): Promise<string> {
  return ((await json(request)) as { html: string }).html;
}
