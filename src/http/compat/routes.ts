/** Serves an adapter's routes through the take route, with the same authentication, limits, cache and errors. */

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../settings/config.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { createMembersReader, fromMembers } from "../input/members.ts";
import { queryOf } from "../input/query.ts";
import { asFailure, setErrorBody } from "../openapi/errors.ts";
import { type Credentials, createAdmission, refuseWrongKeys } from "../screenshots/admission.ts";
import { acceptBytes, acceptJson, bodyOf, inBody } from "../screenshots/json-input.ts";
import { aboutBody, type TakeInput, type TakeRouteParts, takeRoute } from "../screenshots/take.ts";
import type { Door, DoorRoute, Given, PlainRoute, ServiceState, Table } from "./adapter.ts";
import { gathered, inTheirNames, tableOf, translate, withProblems } from "./translate.ts";

type Parts = Omit<TakeRouteParts, "admit" | "input"> & { config: Pick<Config, "MAX_REQUEST_BODY_MB"> };

/** Parameters of each request, set once it has been read. */
const givens = new WeakMap<FastifyRequest, Given>();

/** For a dedicated Fastify instance. */
export function doorRoute(
  app: FastifyInstance,
  parts: Parts,
  admission: Parameters<typeof createAdmission>[0],
  { door, route }: { door: Door; route: DoorRoute },
): void {
  const table = tableOf(door, route);
  if (door.body) acceptBytes(app, parts.config, door.body.type);
  else acceptJson(app, parts.config);
  const readMembers = createMembersReader(parts.takeSchema, []);

  const givenBy = async (http: FastifyRequest): Promise<Given> => {
    const elsewhere = door.body ? await door.body.read(http) : route.method === "POST" ? await bodyOf(http).read() : {};
    const { [door.keyName]: _, ...given } = gathered([fromQuery(http), door.readPath?.(http) ?? {}, elsewhere], table);
    givens.set(http, given);
    return given;
  };
  const input: TakeInput = {
    parse: async (_account, http) => {
      const { members, warnings, problems } = translate(door, route, await givenBy(http));
      const read = () => withProblems(problems, () => readMembers(members));
      const request = route.method === "GET" ? aboutBody(http, read) : read();
      return { ...request, warnings: [...request.warnings, ...warnings], isPrivate: request.isPrivate || route.method === "POST" };
    },
    sent: (http) => {
      const { members, problems } = translate(door, route, givens.get(http) ?? {});
      return withProblems(problems, () => fromMembers(members));
    },
  };
  failAs(app, door, table);
  app.addHook("onSend", async (request, reply, payload) => {
    const given = givens.get(request);
    return given && reply.statusCode < 300 && door.answer ? await door.answer(payload, { given, request, reply }) : payload;
  });
  prepareFor(app, door);
  refuseWrongKeys(app, admission, (http) => keyInHead(door, http));
  const at = { ...route, head: route.method === "GET" };
  takeRoute(app, { ...parts, admit: createAdmission(admission, credentialsOf(door, route)), input }, at);
}

/** Serves a plain route, with the same authentication and limits. For a dedicated Fastify instance. */
export function plainRoute(
  app: FastifyInstance,
  admission: Parameters<typeof createAdmission>[0],
  { door, route, state }: { door: Door; route: PlainRoute; state: ServiceState },
): void {
  prepareFor(app, door);
  failAs(app, door, {});
  const admit = createAdmission(admission, credentialsOf(door, { method: "GET" }));
  app.get(route.path, async (http, reply) => {
    await admit(http, reply, async () => {});
    return await route.answer(reply.header("cache-control", "no-store"), state);
  });
}

function prepareFor(app: FastifyInstance, door: Door): void {
  app.addHook("onRequest", async (request, reply) => door.prepare?.(request, reply));
}

/** Formats errors like the product, with its parameter names. */
function failAs(app: FastifyInstance, door: Door, table: Table): void {
  const answerFailure = app.errorHandler;
  const failureOf = (error: Error & { code?: string }, limit?: number) =>
    door.body && error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE"
      ? new AppError("unsupported_media_type", { message: `The body must be ${door.body.type}.` })
      : asFailure(error, limit);
  app.setErrorHandler((error: Error, request, reply) => {
    if (error instanceof ClientGone) return answerFailure(error, request, reply);
    const failure = inTheirNames(failureOf(error, request.routeOptions.bodyLimit), table, givens.get(request) ?? {});
    const { type, text, status } = door.failure(failure, request);
    setErrorBody(request, { type, bytes: Buffer.from(text), ...(status ? { status } : {}) });
    return answerFailure(failure, request, reply);
  });
}

function fromQuery(http: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queryOf(http).parameters).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

/** Accepts the key where the product expects it, in addition to where we do. */
function credentialsOf(door: Door, route: Pick<DoorRoute, "method">): Credentials {
  return {
    placeInBody: `, or as ${door.keyName}, as with ${door.title}`,
    keyInBody: (http) => keyInHead(door, http) ?? (route.method === "POST" && !door.body ? inBodyOf(http, door.keyName) : undefined),
    namesOf: () => [],
    assertSigned: (signatures, key, http) => {
      if (door.isForPages && key.allowedDomains.length === 0) throw unbound(door);
      if (door.isSigned && route.method === "GET") signatures.assertSigned(key, queryOf(http).pairs);
      else inBody.assertSigned(signatures, key, http);
    },
  };
}

function unbound({ title }: Door): AppError {
  const message = `Addresses as with ${title} stand in pages for anyone to see: use a key that is bound to domains.`;
  return new AppError("domain_not_allowed", { message });
}

function keyInHead(door: Door, http: FastifyRequest): string | undefined {
  return queryOf(http).parameters[door.keyName]?.find((value) => value !== "") ?? door.keyOf?.(http);
}

function inBodyOf(http: FastifyRequest, name: string): string | undefined {
  return bodyOf(http).byteLength === 0 ? undefined : bodyOf(http).textOf(name);
}
