/** Limits the headers of requests: with thousands of lines, they cost much time, and memory of 25 times their size. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Maximum number of header lines. Browsers and proxies send a few dozen. */
const linesMax = 500;
/** Maximum length of `Connection`, a list of names, usually of one. */
const connectionCharactersMax = 1_000;

const tooMany = `The request has more than ${linesMax} header lines, or they and the URL are too long.`;
const longConnection = `The Connection header has more than ${connectionCharactersMax} characters.`;

/** Call this after the server's other listeners have been added. Requests beyond the limit get a 431 or reach {@link headersRefusal}. */
export function limitHeaderLines(server: Server): void {
  server.maxHeadersCount = linesMax + 1; // of more lines, Node drops the rest or reports an error, depending on its version
  server.prependListener("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code !== "HPE_HEADER_OVERFLOW" || !socket.writable) return;
    const body = JSON.stringify(tooLargeBody(tooMany, randomUUID()));
    const head = ["HTTP/1.1 431 Request Header Fields Too Large", "Content-Type: application/json; charset=utf-8", "Connection: close"];
    socket.end([...head, "Cache-Control: no-store", `Content-Length: ${body.length}`, "", body].join("\r\n"));
  });
}

/** @returns why the request must be refused, if its headers exceed the limits. */
export function headersRefusal({ rawHeaders, headers }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * linesMax) return tooMany;
  return (headers.connection ?? "").length > connectionCharactersMax ? longConnection : undefined;
}

/** The body of a 431, in the API's format. */
export function tooLargeBody(message: string, requestId: string): Record<string, unknown> {
  return { error: message, message, requestId, code: "headers_too_large", retryable: false };
}
