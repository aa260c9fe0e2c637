/** Checks signatures of S3 requests (AWS Signature Version 4) independently of the client that makes them. */

import { createHash, createHmac } from "node:crypto";
import type { SeenRequest } from "./storage-server.ts";

/** Whether the request was signed with the secret of its access key, over its whole body. @param secrets by access key. */
export function isSigned(request: SeenRequest, secrets: Record<string, string>): boolean {
  const { authorization = "", "x-amz-date": at = "", "x-amz-content-sha256": bodyHash = "" } = request.headers;
  const match = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization);
  const [, id = "", scope = "", names = "", signature] = match ?? [];
  const secret = secrets[id];
  if (secret === undefined || bodyHash !== hash(Buffer.from(request.body, "latin1"))) return false;
  const [path, query = ""] = request.path.split("?");
  const headers = names.split(";").map((name) => `${name}:${request.headers[name]?.trim()}\n`);
  const canonical = [request.method, path, query.split("&").sort().join("&"), headers.join(""), names, bodyHash].join("\n");
  const text = ["AWS4-HMAC-SHA256", at, scope, hash(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`);
  return hmac(key, text).toString("hex") === signature;
}

const hash = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
