/** `mcp`: tools for models over standard input and output, with a service that may be elsewhere. */

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { UsageError } from "./cli-command.ts";
import { type CallApi, ToolError } from "./mcp/call.ts";
import { createMcpServer } from "./mcp/tools-server.ts";

/** Runs until standard input ends. @throws {UsageError} without a key. */
export async function runMcp(env: NodeJS.ProcessEnv): Promise<void> {
  const key = env.TINTYPE_KEY;
  if (!key) throw new UsageError("The environment variable TINTYPE_KEY is missing: the API key.");
  // Otherwise the error of each request would quote it, to the model.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("TINTYPE_KEY has a space or another character that no API key has.");
  const server = env.TINTYPE_URL ?? "http://127.0.0.1:3000";
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? ""))
    throw new UsageError("TINTYPE_URL is not an address, such as http://127.0.0.1:3000.");
  await createMcpServer(callerOf(server, key)).connect(new StdioServerTransport());
}

/** @param server its path, if any, is what all routes begin with. */
function callerOf(server: string, key: string): CallApi {
  const base = server.replace(/\/+$/, "");
  return async ({ method, path, body, signal }) => {
    // Unlike X-API-Key, it is left out where a redirect leads to another origin.
    const headers = { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) };
    const answer = await fetch(base + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    }).catch((error) => {
      throw new ToolError(`The service at ${new URL(server).origin} can't be reached: ${(error.cause ?? error).message}. Tell the user.`);
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.from(await answer.arrayBuffer()) };
  };
}
