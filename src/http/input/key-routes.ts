/** Serves operations to callers with an API key. */

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { Config } from "../../settings/config.ts";
import { AppError } from "../../shared/errors.ts";
import type { Operation } from "../openapi/operation.ts";
import { type AdmissionParts, type Credentials, createAdmission, inQuery, refuseWrongKeys } from "../screenshots/admission.ts";
import { acceptJson, bodyOf, inBody, membersOf } from "../screenshots/json-input.ts";
import { assertRoomFor } from "../server/client-limits.ts";
import type { BodyBounds } from "./json-body.ts";
import { createInputReader, createQueryReader } from "./read-input.ts";
import { queryOf } from "./request-target.ts";

interface Called<P, Q, B> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The handler returns the content of the response, or a file whose headers it has set. */
export type KeyRoute = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, A extends z.ZodType>(
  operation: Operation<P, Q, B, A>,
  handle: (called: Called<z.output<P>, z.output<Q>, z.output<B>>) => Promise<z.input<A> | Buffer | Readable>,
) => void;

/** A signature doesn't cover the path or method: anybody with a signed link could use its signature to read or delete data. */
const inHead: Credentials = {
  ...inQuery,
  assertSigned: (signatures, key, request) => {
    if (key.requireSignature)
      throw new AppError("signature_invalid", {
        message: "The API key accepts only signed requests, and only screenshot requests can be signed: use another key.",
      });
    inQuery.assertSigned(signatures, key, request);
  },
};

/**
 * Requires a dedicated Fastify instance. The body may be omitted if no member is required.
 * @param bounds overrides the default body bounds.
 */
export function createKeyRoute(
  app: FastifyInstance,
  admission: AdmissionParts,
  config: Pick<Config, "MAX_REQUEST_BODY_MB">,
  bounds?: Partial<BodyBounds>,
): KeyRoute {
  acceptJson(app, config, bounds);
  refuseWrongKeys(app, admission);
  const { admit: admitByHead } = createAdmission(admission, inHead);
  const { admit: admitByBody } = createAdmission(admission, {
    ...inBody,
    keyElsewhere: (request) => (bodyOf(request).byteLength === 0 ? undefined : inBody.keyElsewhere(request)),
    namesOf: (request) => (bodyOf(request).byteLength === 0 ? [] : inBody.namesOf(request)),
  });

  return ({ method, path, params, query, body, answer, status }, handle) => {
    const readQuery = createQueryReader(query);
    const readBody = body.type === "undefined" ? () => undefined : createInputReader(body);
    const takesBody = method === "POST" || method === "PATCH";
    const admit = takesBody ? admitByBody : admitByHead;
    app.route({
      method,
      url: path,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const caller = await admit(request, reply);
        if (takesBody) assertRoomFor(request);
        const query = readQuery(takesBody ? {} : queryOf(request).parameters);
        const body = readBody(takesBody ? await ownMembersOf(request) : undefined) as never;
        const named = params.safeParse(request.params);
        if (!named.success) throw new AppError("not_found");
        reply.header("cache-control", "no-store");
        const content = await handle({ caller, query, body, params: named.data, request, reply });
        if (Buffer.isBuffer(content) || content instanceof Readable) return await reply.code(status).send(content);
        return await reply.code(status).send(answer.parse(content));
      },
    });
  };
}

/** The body's members, without the API key. */
async function ownMembersOf(request: FastifyRequest): Promise<object> {
  if (bodyOf(request).byteLength === 0) return {};
  const { api_key: _, ...members } = await membersOf(request);
  return members;
}
