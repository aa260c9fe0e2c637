/** Forwards requests to the API as they are, but honest about who sent them. */

import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";
import { pipeline } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Longer than the longest capture. */
const answerTimeoutMs = 120_000;

/** What a sender could use to pass as another one; the API learns it from us alone. */
const claimed = /^(forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;
/** RFC 9110, 7.6.1: of one connection, not of the message. */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);
const framing = new Set(["content-length", "transfer-encoding"]);

/** Answers with what the API answers; with a 503 in its shape while it can't be reached. */
export function createForward(api: URL): (request: FastifyRequest, reply: FastifyReply) => void {
  const { request: send, Agent } = api.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true });
  const base = api.pathname.replace(/\/$/, "");

  return (request, reply) => {
    reply.hijack();
    const { raw: incoming } = request;
    const { raw: answer } = reply;
    const outgoing = send(
      new URL(api.origin),
      {
        method: incoming.method ?? "GET",
        path: `${base}${incoming.url}`,
        headers: headersFor(request, api),
        agent,
        timeout: answerTimeoutMs,
      },
      (received) => {
        answer.writeHead(received.statusCode ?? 502, withoutConnection(received));
        pipeline(received, answer, () => {});
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer after ${answerTimeoutMs / 1000} s`)));
    outgoing.on("error", (error) => {
      request.log.warn({ err: error, method: incoming.method }, "the API did not answer");
      if (answer.headersSent || answer.destroyed) return; // an answer that comes before the request is over, or nobody who waits for one
      answer.writeHead(503, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", "retry-after": "2" });
      answer.end(JSON.stringify(unreachable(request.id)));
    });
    answer.on("close", () => outgoing.destroy()); // who went away needs no capture
    if (Object.keys(framingOf(incoming)).length > 0) pipeline(incoming, outgoing, () => {});
    else outgoing.end();
  };
}

function unreachable(requestId: string): Record<string, unknown> {
  const message = "The service can't be reached right now.";
  return { error: message, message, requestId, code: "unavailable", retryable: true };
}

function headersFor(request: FastifyRequest, api: URL): IncomingHttpHeaders {
  const named = listed(request.headers.connection);
  const isDropped = (name: string) => claimed.test(name) || ofConnection.has(name) || framing.has(name) || named.has(name);
  const kept = Object.entries(request.headers).filter(([name]) => !isDropped(name));
  return {
    ...Object.fromEntries(kept),
    ...framingOf(request.raw),
    host: api.host,
    "x-forwarded-for": request.ip,
    "x-forwarded-proto": request.protocol,
    "x-forwarded-host": request.host,
  };
}

/**
 * How the body is delimited, empty when there is none (RFC 9112, 6.3). Node would send the body of a GET, for one, without any: the API
 * would take it for the next request of the connection, which may be another person's.
 */
function framingOf({ headers }: IncomingMessage): IncomingHttpHeaders {
  if (headers["transfer-encoding"] !== undefined) return { "transfer-encoding": "chunked" };
  const length = headers["content-length"];
  return length === undefined ? {} : { "content-length": length };
}

/** Names and values in turn, as `writeHead` takes them: repeated ones such as `Set-Cookie` stay apart. */
function withoutConnection({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = listed(headers.connection);
  return rawHeaders.filter((_, index) => {
    const name = (rawHeaders[index - (index % 2)] as string).toLowerCase();
    return !ofConnection.has(name) && !named.has(name);
  });
}

function listed(connection: string | undefined): Set<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
