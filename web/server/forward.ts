/** Forwards requests to the API unchanged, except for headers that identify the client. */

import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { pipeline } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { joinChunks, TooManyChunks } from "./body-chunks.ts";
import { createClientLimit } from "./client-limits.ts";
import { relayInTurn } from "./relay-in-turn.ts";

/** Longer than the longest capture. */
const responseTimeoutMs = 120_000;

/** The API's limit on a client's bodies that haven't arrived completely: even many clients behind one proxy need fewer. */
const unfinishedMax = 256;

/** Headers with which a client could claim another IP address, besides `X-Forwarded-*`; replaced by this server. */
const clientAddressHeaders = "forwarded x-real-ip x-client-ip x-cluster-client-ip true-client-ip cf-connecting-ip fastly-client-ip".split(
  " ",
);
/** RFC 9110, 7.6.1 */
const hopByHopHeaders = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);
const dropped = new Set([...clientAddressHeaders, ...hopByHopHeaders, "content-length", "host"]);

/**
 * Relays the API's response; responds with a 503 in the API's format if it is unreachable.
 * @param stalledTimeout maximum time without progress while a client reads a response, in milliseconds.
 */
export function createForward(api: URL, stalledTimeout: number): (request: FastifyRequest, reply: FastifyReply) => void {
  const { request: send, Agent } = api.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true });
  const countUnfinished = createClientLimit(unfinishedMax);
  const base = api.pathname.replace(/\/$/, "");

  return (request, reply) => {
    reply.hijack();
    const { raw: incoming } = request;
    const { socket } = incoming; // an aborted request no longer knows it
    const { raw: response } = reply;
    const refuse = createRefusal(request, response);
    const body = Object.keys(framingOf(incoming)).length === 0 ? undefined : joinChunks();
    if (body && !countUnfinished(request.ip, body)) return refuse(503, { connection: "close", "retry-after": "1" }, tooManyBodies);
    const outgoing = send(
      new URL(api.origin),
      {
        method: incoming.method ?? "GET",
        path: `${base}${incoming.url}`,
        headers: headersFor(request, api),
        agent,
        timeout: responseTimeoutMs,
      },
      (received) => {
        response.writeHead(received.statusCode ?? 502, withoutConnection(received));
        socket.setTimeout(stalledTimeout); // Node then closes the socket, and sets its own timeout after the response
        pipeline(received, relayInTurn(), response, () => {});
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no response after ${responseTimeoutMs / 1000} s`)));
    outgoing.on("error", (error) => {
      request.log.warn({ err: error, method: incoming.method }, "the API did not respond");
      refuse(503, { "retry-after": "2" }, unreachable);
    });
    response.on("close", () => outgoing.destroy()); // aborts the capture if the client disconnects
    if (!body) return void outgoing.end();
    body.once("error", (error) => {
      if (error instanceof TooManyChunks) refuse(413, { connection: "close" }, tooManyChunks);
    });
    pipeline(incoming, body, outgoing, () => {});
  };
}

type Refuse = (status: number, headers: Record<string, string>, body: Record<string, unknown>) => void;

/** Returns a function that responds in the API's format, unless the response has begun or the client has disconnected. */
function createRefusal(request: FastifyRequest, response: ServerResponse): Refuse {
  return (status, headers, body) => {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers });
    response.end(JSON.stringify({ ...body, requestId: request.id }));
  };
}

function failure(code: string, message: string, retryable: boolean): Record<string, unknown> {
  return { error: message, message, code, retryable };
}

const unreachable = failure("unavailable", "The service is currently unreachable.", true);
const tooManyBodies = failure("unavailable", "Too many large requests are in progress.", true);
const tooManyChunks = failure("payload_too_large", "The body has too many small chunks: send larger ones, or a Content-Length.", false);

function headersFor(request: FastifyRequest, api: URL): IncomingHttpHeaders {
  const named = listed(request.headers.connection);
  const sent: IncomingHttpHeaders = {};
  for (const name of Object.keys(request.headers))
    if (!dropped.has(name) && !name.startsWith("x-forwarded-") && !named.has(name)) sent[name] = request.headers[name];
  return Object.assign(sent, framingOf(request.raw), {
    host: api.host,
    "x-forwarded-for": request.ip,
    "x-forwarded-proto": request.protocol,
    "x-forwarded-host": request.host,
  });
}

/**
 * The headers that delimit the body; empty if there is none (RFC 9112, 6.3). Without them, Node sends the body of a GET undelimited, and
 * the API would parse it as the next request on the connection: request smuggling.
 */
function framingOf({ headers }: IncomingMessage): IncomingHttpHeaders {
  if (headers["transfer-encoding"] !== undefined) return { "transfer-encoding": "chunked" };
  const length = headers["content-length"];
  return length === undefined ? {} : { "content-length": length };
}

/** Alternating names and values, as `writeHead` accepts them; keeps repeated headers such as `Set-Cookie` separate. */
function withoutConnection({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = listed(headers.connection);
  return rawHeaders.filter((_, index) => {
    const name = (rawHeaders[index - (index % 2)] as string).toLowerCase();
    return !hopByHopHeaders.has(name) && !named.has(name);
  });
}

function listed(connection: string | undefined): Set<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
