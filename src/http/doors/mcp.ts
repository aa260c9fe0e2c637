/** `/mcp`: tools for models by the Model Context Protocol, over HTTP, with the keys of the API. */

import type { Server } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { AppError } from "../../errors.ts";
import type { CallApi } from "../../mcp/call.ts";
import { requestOwn } from "../in-process.ts";
import { followDisconnection } from "../requests.ts";
import { type createAdmission, keysOf, refuseWrongKeys } from "../screenshots/admission.ts";
import { acceptBytes } from "../screenshots/json-input.ts";

/** Of the request's own headers, what decides on whether its key may be used. */
const passedOn = ["origin", "referer", "host", "x-forwarded-for", "x-forwarded-proto"] as const;

/** For a dedicated Fastify instance. Each request is complete in itself: there are no sessions. */
export function mcpRoute(
  app: FastifyInstance,
  config: Pick<Config, "MAX_REQUEST_BODY_MB">,
  admission: Parameters<typeof createAdmission>[0],
): void {
  acceptBytes(app, config, "application/json");
  refuseWrongKeys(app, admission);
  app.post("/mcp", async (http, reply) => {
    const [key] = keysOf(http);
    if (key === undefined)
      throw new AppError("invalid_api_key", { message: "The API key is missing: send it as Authorization: Bearer, or as X-API-Key." });
    const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js");
    const { createMcpServer } = await import("../../mcp/tools-server.ts");
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createMcpServer(callerOf(app.server, http, key, followDisconnection(reply)));
    await server.connect(transport);
    try {
      const answer = await transport.handleRequest(asWebRequest(http));
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

/** Calls the API as the request's caller: with its key, from its page and its address. */
function callerOf(server: Server, http: FastifyRequest, key: string, gone: AbortSignal): CallApi {
  const own = Object.fromEntries(passedOn.flatMap((name) => (http.headers[name] === undefined ? [] : [[name, http.headers[name]]])));
  return async ({ method, path, body, signal }) => {
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
      signal: signal ? AbortSignal.any([gone, signal]) : gone,
      ...(bytes ? { body: bytes } : {}),
    });
    return { ...answer, headers: answer.headers as Record<string, string | undefined> };
  };
}

function asWebRequest(http: FastifyRequest): Request {
  const headers = Object.entries(http.headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return new Request("http://localhost/mcp", { method: "POST", headers, body: new Uint8Array(http.body as Buffer) });
}
