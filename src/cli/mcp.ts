/** `mcp`: an MCP server over standard input and output, for a service that may run elsewhere. */

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { answerBytesMax, type CallApi, ToolError } from "../mcp/call.ts";
import { cut, inLine } from "../mcp/text.ts";
import { createMcpServer } from "../mcp/tools-server.ts";
import { readAtMost } from "../shared/turns.ts";
import { UsageError } from "./command.ts";

/** Starts the server, which runs until standard input ends. @throws {UsageError} for a missing or invalid key or an invalid URL. */
export async function runMcp(env: NodeJS.ProcessEnv): Promise<void> {
  const key = env.TINTYPE_KEY;
  if (!key) throw new UsageError("The environment variable TINTYPE_KEY is missing: set it to the API key.");
  // With other characters, every request would fail with an error that quotes the key to the model.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("TINTYPE_KEY contains a space or another character that API keys don't have.");
  const server = env.TINTYPE_URL ?? "http://127.0.0.1:3000";
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? "")) throw new UsageError("TINTYPE_URL is not a URL such as http://127.0.0.1:3000.");
  process.stdout.on("error", () => process.exit()); // the program that started this has exited
  await createMcpServer(callerOf(server, key)).connect(new StdioServerTransport());
}

/** Text from the network, truncated and on a single line. */
const shown = (text: string) => cut(inLine(text), 300);

/** Timeout for responses; longer than any capture, including all of its attempts and the wait for a browser. */
const answerMaxMs = 180_000;

/** @param server base URL; its path, if any, prefixes all routes. @param maxMs deadline for a complete response. */
export function callerOf(server: string, key: string, maxMs = answerMaxMs): CallApi {
  const base = server.replace(/(?<!\/)\/+$/, "");
  const { origin } = new URL(server);
  return async ({ method, path, body, bytesMax = answerBytesMax, signal }) => {
    const headers = { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) };
    const deadline = AbortSignal.timeout(maxMs);
    try {
      const content = body ? { body: JSON.stringify(body) } : {};
      const answer = await fetch(base + path, {
        method,
        headers,
        redirect: "manual",
        ...content,
        signal: AbortSignal.any([deadline, ...(signal ? [signal] : [])]),
      });
      const location = answer.headers.get("location");
      if (location)
        throw new ToolError(
          `${origin} redirects to ${shown(location)}: the user has to set TINTYPE_URL to that address if it belongs to the service.`,
        );
      if (!answer.headers.has("x-request-id"))
        throw new ToolError(`The server at ${origin} is not Tintype; it may be a proxy that requires signing in. Tell the user.`);
      const { bytes, isCut } = await readAtMost(answer.body ?? (async function* () {})(), bytesMax);
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes, isCut };
    } catch (error) {
      if (error instanceof ToolError || signal?.aborted) throw error;
      if (deadline.aborted)
        throw new ToolError(`The service at ${origin} did not respond within ${maxMs / 1000} s. Try again, or tell the user.`);
      const { message, cause } = error as Error & { cause?: Error };
      throw new ToolError(`The service at ${origin} can't be reached: ${shown(cause?.message ?? message)}. Tell the user.`);
    }
  };
}
