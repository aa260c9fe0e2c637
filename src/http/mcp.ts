/** `/mcp`: a Model Context Protocol server over Streamable HTTP, authenticated by API key. */

import type { IncomingHttpHeaders, Server } from "node:http";
import { duplexPair } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ApiAnswer, answerBytesMax, type CallApi } from "../mcp/call.ts";
import type { Config } from "../settings/config.ts";
import { AppError } from "../shared/errors.ts";
import { httpRequest } from "../shared/node-http.ts";
import { loadInTurns, readAtMost, turnOf } from "../shared/turns.ts";
import type { BodyBounds } from "./input/json-body.ts";
import { type AdmissionParts, differentKeys, keysInHeaders, refuseWrongKeys } from "./screenshots/admission.ts";
import { acceptJson, bodyOf } from "./screenshots/json-input.ts";
import { heldImages } from "./server/held-images.ts";
import { accountOf } from "./server/owners.ts";
import { followDisconnection, ownConnections } from "./server/requests.ts";

/** Request headers passed on to the API: for the key's domain restrictions, the base of links, and the client's address. */
const passedOn = ["origin", "referer", "host", "x-forwarded-for", "x-forwarded-proto"] as const;

/** Few parts, since tools take few arguments and errors list every invalid argument; many levels, since client capabilities are nested. */
const bounds: BodyBounds = { parts: 500, levels: 12 };

/** Requires a dedicated Fastify instance. Stateless: there are no sessions. */
export function mcpRoute(app: FastifyInstance, config: Pick<Config, "MAX_REQUEST_BODY_MB">, admission: AdmissionParts): void {
  acceptJson(app, config, bounds);
  refuseWrongKeys(app, admission);
  app.addHook("onRequest", async (http) => void keyOf(http)); // before the body is received
  app.post("/mcp", async (http, reply) => {
    const key = keyOf(http);
    heldImages.assertRoom(accountOf(http) ?? "");
    await turnOf(accountOf(http));
    // Batches, which one version of the protocol allowed, are refused: a message could cancel another, which would then get no response.
    const message = await bodyOf(http)
      .read(accountOf(http))
      .catch((error: Error) => error);
    if (message instanceof Error) return await reply.code(400).send(notJson(message));
    const { createMcpServer } = await loadInTurns(
      () => import("../mcp/tools-server.ts"),
      () => import("@modelcontextprotocol/sdk/types.js"),
      () => import("@modelcontextprotocol/sdk/server/index.js"),
    );
    const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js");
    await turnOf(accountOf(http)); // the imports end in the same turn for all that wait for them
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createMcpServer(callerOf(app.server, http, reply, key));
    await server.connect(transport);
    try {
      const answer = await transport.handleRequest(asWebRequest(http), { parsedBody: message });
      const body = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get("content-type");
      if (type) reply.header("content-type", type);
      return await reply
        .header("cache-control", "no-store")
        .code(answer.status)
        .send(body.length > 0 ? body : undefined);
    } finally {
      await server.close();
    }
  });
}

/** @throws {AppError} `invalid_api_key` if the key is missing; `invalid_parameters` if different keys are sent. */
function keyOf(http: FastifyRequest): string {
  const [key, ...others] = keysInHeaders(http);
  if (others.some((other) => other !== key)) throw differentKeys();
  if (key === undefined)
    throw new AppError("invalid_api_key", { message: "The API key is missing: send it as Authorization: Bearer, or as X-API-Key." });
  return key;
}

/** Calls the API on behalf of the caller, with the same key, origin and IP address. */
function callerOf(server: Server, http: FastifyRequest, reply: FastifyReply, key: string): CallApi {
  const disconnected = followDisconnection(reply);
  const client = accountOf(http) ?? "";
  /** Counts a response's bytes until the tool's result has been received. Paid captures are read even if there is no room. */
  const hasRoom = (length: number, isPaid: boolean) => {
    if (!isPaid && !heldImages.hasRoom(client)) return false;
    heldImages.add(client, reply, [{ length }]);
    return true;
  };
  const own = Object.fromEntries(passedOn.flatMap((name) => (http.headers[name] === undefined ? [] : [[name, http.headers[name]]])));
  return async ({ method, path, body, bytesMax = answerBytesMax, signal }) => {
    const bytes = body && Buffer.from(JSON.stringify(body));
    const headers = {
      ...own,
      "x-api-key": key,
      ...(bytes ? { "content-type": "application/json", "content-length": String(bytes.length) } : {}),
    };
    const answer = await requestOwn(server, {
      method,
      path,
      headers,
      ip: http.socket.remoteAddress ?? http.ip,
      signal: signal ? AbortSignal.any([disconnected, signal]) : disconnected,
      ...(bytes ? { body: bytes } : {}),
      bytesMax,
      hasRoom,
    });
    if (!answer) return tooManyUnread;
    return { ...answer, headers: answer.headers as Record<string, string | undefined> };
  };
}

const tooManyUnread: ApiAnswer = {
  status: 429,
  headers: { "retry-after": "5" },
  body: Buffer.from(JSON.stringify({ message: "Too many results are being sent at once.", code: "rate_limited", retryable: true })),
};

function notJson(error: Error): object {
  const message = error instanceof AppError ? error.message : "The body is not JSON.";
  return { jsonrpc: "2.0", error: { code: -32700, message: `Parse error: ${message}` }, id: null };
}

/** Omits the body, which has been consumed. Responses are always JSON, regardless of the client's `Accept`. */
function asWebRequest(http: FastifyRequest): Request {
  const headers = Object.entries(http.headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const request = new Request("http://localhost/mcp", { method: "POST", headers });
  request.headers.set("accept", "application/json, text/event-stream");
  return request;
}

/** A request from this process to its own routes, over an in-memory connection but treated like a network request. */
export interface OwnRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body?: Buffer;
  /** Address of the connection's peer; with a trusted proxy, `x-forwarded-for` supplies the client's. */
  ip: string;
  /** Closes the connection when aborted. */
  signal: AbortSignal;
  /** Maximum number of bytes of the response that are read. */
  bytesMax: number;
  /** Whether there is memory for a response of this length. */
  hasRoom(length: number, isPaid: boolean): boolean;
}

export interface OwnAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  isCut: boolean;
}

/** Undefined if there is no memory for the response. */
async function requestOwn(server: Server, request: OwnRequest): Promise<OwnAnswer | undefined> {
  const { method, path, headers, body, ip, signal, bytesMax, hasRoom } = request;
  const [near, far] = duplexPair();
  ownConnections.set(far, signal);
  // The part of the socket's interface that the server uses.
  server.emit("connection", Object.assign(far, { remoteAddress: ip, setTimeout: () => far }));
  try {
    return await new Promise<OwnAnswer | undefined>((resolve, reject) => {
      const sent = httpRequest({ method, path, headers, signal, createConnection: () => near as never }, (response) => {
        const { statusCode: status = 0, headers: received } = response;
        const length = Math.min(Number(received["content-length"] ?? bytesMax), bytesMax);
        if (!hasRoom(length, received["x-cache"] === "MISS")) return resolve(undefined);
        readAtMost(response, bytesMax).then(({ bytes, isCut }) => resolve({ status, headers: received, body: bytes, isCut }), reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  } finally {
    near.destroy();
    far.destroy(); // doesn't follow by itself, and the response may not have been read to its end
  }
}
