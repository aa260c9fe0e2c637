/** The dashboard's server: serves the built pages with strict security headers and forwards API requests, so that cookies are first-party. */

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { createClientLimit } from "./client-limits.ts";
import { containFailures } from "./contain-failures.ts";
import { createForward } from "./forward.ts";
import { headersRefusal, limitHeaderLines, tooLargeBody } from "./header-limits.ts";
import { runOneAtATime } from "./one-at-a-time.ts";
import { limitReads } from "./read-turns.ts";
import { rewriteTarget, targetRefusal } from "./request-target.ts";
import type { Settings } from "./settings.ts";
import { limitTimeouts } from "./timeout-turns.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "media-src blob:",
  "connect-src 'self'",
  "frame-src 'self'", // the API reference
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Time limits for receiving the headers and the whole request, and how often they are checked, in milliseconds. */
const timeouts = { headersTimeout: 20_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };
/** Maximum time without progress while a client reads a response, in milliseconds. */
const stalledTimeoutMs = 60_000;

/** @param folder folder with the built pages. The caller calls `listen` and `close`. */
export async function createWebServer(
  settings: Settings,
  folder: string,
  { requestTimeout, stalledTimeout = stalledTimeoutMs, ...headerTimeouts }: typeof timeouts & { stalledTimeout?: number } = timeouts,
): Promise<FastifyInstance> {
  const page = await readPage(folder, settings.apiPublicUrl);
  const app = Fastify({
    logger: { level: settings.logLevel },
    logController: new LogController({ disableRequestLogging: true }), // URLs may contain secrets
    trustProxy: settings.trustProxy,
    requestTimeout, // not in `http`, where Fastify would reset it to 0
    http: { maxHeaderSize: 64 * 1024, requireHostHeader: false, ...headerTimeouts }, // `requireHost` checks it
    forceCloseConnections: "idle",
    rewriteUrl: rewriteTarget,
    frameworkErrors: (_error, request, reply) => refuse(request, reply, targetRefusal(request.originalUrl)),
  });

  containFailures(app.server, (error) => app.log.error({ err: error }, "a connection was closed, as handling it failed"));
  limitHeaders(app);
  requireHost(app);
  limitConnections(app.server);
  runOneAtATime(app.server);
  limitReads(app.server);
  limitTimeouts(app.server);
  closeStalled(app, stalledTimeout);
  limitOpen(app);

  app.get("/healthz", async () => ({ status: "alive" }));

  await app.register(fastifyStatic, {
    root: join(folder, "assets"),
    prefix: "/assets/",
    wildcard: false,
    preCompressed: true,
    immutable: true,
    maxAge: "1y",
    decorateReply: false,
    setHeaders: (reply) => void secure(reply as FastifyReply),
  });
  app.get("/assets/*", async (_request, reply) => secure(reply).code(404).type("text/plain").send("Not found."));

  // Bodies are forwarded unparsed: Fastify would otherwise buffer each until it is complete, possibly in chunks of one byte each.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, body, done) => done(null, body));
  await app.register(async (api) => {
    const forward = createForward(settings.api, stalledTimeout);
    for (const path of ["/v1/*", "/openapi.json", "/openapi.yaml", "/docs", "/docs/*"]) api.all(path, forward);
  });

  // Every other path is a page; routing happens in the browser.
  app.get("/*", async (request, reply) =>
    secure(reply)
      .header("cache-control", "no-cache")
      .header("content-security-policy", policy)
      .type("text/html; charset=utf-8")
      .send(themed(page, request.headers.cookie)),
  );
  // Fastify's own handler would quote the URL, which may contain secrets, in the response and in the log.
  app.setNotFoundHandler(async (request, reply) => {
    if (request.body !== undefined) reply.header("connection", "close"); // rather than receive the rest of it
    return secure(reply).code(404).type("text/plain").send("Not found.");
  });
  return app;
}

/** Refuses requests whose headers cost much time and memory. */
function limitHeaders(app: FastifyInstance): void {
  limitHeaderLines(app.server);
  app.addHook("onRequest", (request, reply, done) => {
    const refusal = headersRefusal(request.raw);
    if (refusal === undefined) return done();
    reply.header("connection", "close"); // the length of the body may be among the dropped headers
    secure(reply).code(431).header("cache-control", "no-store").send(tooLargeBody(refusal, request.id));
  });
}

/** Refuses requests that must have a `Host` (RFC 9112, 3.2) and don't. */
function requireHost(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion !== "1.1") return done();
    refuse(request, reply.header("connection", "close"), "The request has no Host header.");
  });
}

/** More are never needed, and closing one takes 20 µs: all clients may disconnect in the same turn of the event loop. */
const connectionsMax = 16_384;

/** Keeps half of the process's descriptors for connections to the API and files; Linux states their number. */
function limitConnections(server: Server): void {
  const [, descriptors = "Infinity"] = /^Max open files\s+(\d+)/m.exec(readLimits()) ?? [];
  const count = createClientLimit(Number.POSITIVE_INFINITY, Math.min(Math.floor(Number(descriptors) / 2), connectionsMax));
  server.on("connection", (socket) => {
    if (!count(socket.remoteAddress ?? "closed", socket)) socket.destroy();
  });
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

/** Limits on requests whose responses haven't been read completely, of a client and of all: each may buffer 250 KB. */
const openMax = [256, 1_024] as const;

function limitOpen(app: FastifyInstance): void {
  const count = createClientLimit(...openMax);
  app.addHook("onRequest", (request, reply, done) => {
    if (request.url === "/healthz" || count(request.ip, reply.raw)) return done();
    const message = "Too many requests, of this address or of all, are in progress; try again later.";
    const body = { error: message, message, requestId: request.id, code: "unavailable", retryable: true };
    secure(reply).code(503).headers({ connection: "close", "retry-after": "1", "cache-control": "no-store" }).send(body);
  });
}

/** Sends a 400 in the API's format. */
function refuse(request: FastifyRequest, reply: FastifyReply, message: string): void {
  const body = { error: message, message, requestId: request.id, code: "invalid_parameters", retryable: false };
  secure(reply).code(400).header("cache-control", "no-store").send(body);
}

/** Closes connections whose clients don't read their responses; `createForward` does so for those it relays. */
function closeStalled(app: FastifyInstance, stalledTimeout: number): void {
  app.addHook("onRequest", (request, _reply, done) => {
    request.raw.socket.setTimeout(0); // clears the previous response's timeout, which Node does only if no request is queued
    done();
  });
  app.addHook("onSend", (request, _reply, _payload, done) => {
    request.raw.socket?.setTimeout(stalledTimeout); // Node then closes the socket, and sets its own timeout after the response
    done();
  });
}

function secure(reply: FastifyReply): FastifyReply {
  return reply
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "same-origin")
    .header("cross-origin-opener-policy", "same-origin")
    .header("cross-origin-resource-policy", "same-origin");
}

/** Renders the page in the user's theme; setting it from a script would first flash the default colors. */
function themed(page: string, cookies = ""): string {
  const [, theme] = /(?:^|;\s*)theme=(light|dark)(?:;|$)/.exec(cookies) ?? [];
  return theme === undefined ? page : page.replace('<html lang="en">', `<html lang="en" data-theme="${theme}">`);
}

/** Inserts the API's public URL for the page's scripts. */
async function readPage(folder: string, apiPublicUrl: string): Promise<string> {
  const text = await readFile(join(folder, "index.html"), "utf8");
  const attribute = apiPublicUrl.replace(/[&"<]/g, (character) => `&#${character.charCodeAt(0)};`);
  return text.replace('<meta name="api-url" content="">', () => `<meta name="api-url" content="${attribute}">`);
}
