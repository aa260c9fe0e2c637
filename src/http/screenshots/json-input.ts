/** Parses request bodies: JSON, which may contain the API key, or raw bytes for compatible interfaces. */

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../settings/config.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { type BodyBounds, createJsonBody, type JsonBody, type Members } from "../input/json-body.ts";
import { queryOf } from "../input/request-target.ts";
import { accountOf } from "../server/owners.ts";
import { type Credentials, differentKeys, keysOf } from "./admission.ts";

const compressed = "Compressed bodies are not supported: send the body uncompressed, without Content-Encoding.";

/**
 * Parses every body of `app`, a dedicated instance, as a {@link JsonBody}; other content types are refused.
 * @param bounds overrides the default bounds, which suit capture options.
 */
export function acceptJson(app: FastifyInstance, config: Limits, bounds?: Partial<BodyBounds>): void {
  limitBodies(app, config);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, bytes, done) =>
    done(null, createJsonBody(bytes as Buffer, bounds)),
  );
}

/** Parses bodies of the content type `type` as bytes; other content types are refused. */
export function acceptBytes(app: FastifyInstance, config: Limits, type: string): void {
  limitBodies(app, config);
  app.addContentTypeParser(type, { parseAs: "buffer" }, (_request, bytes, done) => done(null, bytes));
}

type Limits = Pick<Config, "MAX_REQUEST_BODY_MB">;

function limitBodies(app: FastifyInstance, { MAX_REQUEST_BODY_MB }: Limits): void {
  app.removeAllContentTypeParsers();
  app.addHook("onRoute", (route) => {
    route.bodyLimit = MAX_REQUEST_BODY_MB * 1024 * 1024;
  });
  app.addHook("preParsing", (request, _reply, _body, done) => {
    const isPlain = ["identity", undefined].includes(request.headers["content-encoding"]);
    done(isPlain ? null : new AppError("unsupported_media_type", { message: compressed }));
  });
}

export function bodyOf(request: FastifyRequest): JsonBody {
  request.body ??= createJsonBody(Buffer.alloc(0));
  return request.body as JsonBody;
}

export const inBody: Credentials = {
  elsewhereHint: ", or as api_key in the body",
  keyElsewhere: (request) => bodyOf(request).textOf("api_key"),
  namesOf: (request) => bodyOf(request).namesOfTexts(),
  assertSigned: (_signatures, { requireSignature }) => {
    if (requireSignature)
      throw new AppError("signature_invalid", {
        message: "The API key accepts only signed requests, and only GET requests can be signed.",
      });
  },
};

/**
 * Reads the body of an admitted request.
 * @throws {AppError} `invalid_parameters` for an invalid body, misplaced parameters or different keys; `signature_invalid` if the request
 *   has expired.
 */
export async function membersOf(request: FastifyRequest): Promise<Members> {
  const forbidSignature = () => {
    throw wrongParameter("signature", "is for GET requests: a body can't be signed", "no signature");
  };
  const misplaced = queryOf(request).pairs.find(({ text, name }) => text !== "" && name !== "api_key");
  if (misplaced?.name === "signature") forbidSignature();
  if (misplaced) {
    const name = misplaced.name.replace(/[^\w.[\]-]/g, "?").slice(0, 50);
    throw wrongParameter(name, "is in the query: send it as a member of the body", "only api_key in the query");
  }
  const members = await bodyOf(request).read(accountOf(request));
  const { api_key: key = null, signature = null, expires = "" } = members;
  if (key !== null && typeof key !== "string") throw wrongParameter("api_key", "must be a string", "the API key, as a string");
  const [elsewhere = key] = keysOf(request);
  if (key !== null && key !== "" && key !== elsewhere) throw differentKeys();
  if (signature !== null && signature !== "") forbidSignature();
  // A value that is not a number is reported with the other invalid options.
  const isNumeric = typeof expires === "number" || (typeof expires === "string" && expires.trim() !== "");
  if (isNumeric && Number(expires) * 1000 <= Date.now()) throw new AppError("signature_invalid", { message: "The request has expired." });
  return members;
}
