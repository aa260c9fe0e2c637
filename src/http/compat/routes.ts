/** Serves an adapter's routes through the take route, with the same authentication, limits and cache. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../settings/config.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { createPermits } from "../../shared/permits.ts";
import { turnOf } from "../../shared/turns.ts";
import { forAccount } from "../../shared/work-owner.ts";
import { countMadeOf } from "../input/body-budget.ts";
import type { Members } from "../input/json-body.ts";
import { queryOf } from "../input/request-target.ts";
import { createMembersReader, fromMembers } from "../input/validation.ts";
import { type AdmissionParts, type Credentials, createAdmission, refuseWrongKeys } from "../screenshots/admission.ts";
import { acceptBytes, acceptJson, bodyOf, inBody } from "../screenshots/json-input.ts";
import { aboutBody, type TakeInput, type TakeRouteParts, takeRoute } from "../screenshots/take.ts";
import { isHeldBack } from "../server/client-limits.ts";
import { asFailure, setErrorBody } from "../server/error-handler.ts";
import { heldImages } from "../server/held-images.ts";
import { accountOf } from "../server/owners.ts";
import { followDisconnection } from "../server/requests.ts";
import type { Adapter, AdapterRoute, PlainRoute, ProductParameters, ServiceState, Table } from "./adapter.ts";
import { mergeParameters, readWithProblems, tableOf, translate, withProductNames } from "./translate.ts";

type Parts = Omit<TakeRouteParts, "admission" | "input"> & { config: Pick<Config, "MAX_REQUEST_BODY_MB"> };

/** Parameters of each request, set once it has been read. */
const parametersByRequest = new WeakMap<FastifyRequest, ProductParameters>();

/** Aborts when a form's client leaves. */
const disconnections = new WeakMap<FastifyRequest, AbortSignal>();

/** Requires a dedicated Fastify instance. */
export function serveAdapterRoute(
  app: FastifyInstance,
  parts: Parts,
  admission: AdmissionParts,
  { adapter, route }: { adapter: Adapter; route: AdapterRoute },
): void {
  const table = tableOf(adapter, route);
  if (adapter.body) {
    acceptBytes(app, parts.config, adapter.body.type);
    app.addHook("onRequest", async (request, reply) => void disconnections.set(request, followDisconnection(reply)));
  } else acceptJson(app, parts.config);
  const readMembers = createMembersReader(parts.takeSchema, []);

  const readParameters = async (http: FastifyRequest): Promise<ProductParameters> => {
    const elsewhere = adapter.body
      ? await readBody(adapter.body, http)
      : route.method === "POST"
        ? await bodyOf(http).read(accountOf(http))
        : {};
    const { [adapter.keyName]: _, ...parameters } = mergeParameters([fromQuery(http), adapter.readPath?.(http) ?? {}, elsewhere], table);
    parametersByRequest.set(http, parameters);
    return parameters;
  };
  const input: TakeInput = {
    parse: async (_account, http) => {
      const { members, warnings, problems } = translate(adapter, route, await readParameters(http));
      const read = () => readWithProblems(problems, () => readMembers(members));
      const request = route.method === "GET" ? aboutBody(http, read) : read();
      return { ...request, warnings: [...request.warnings, ...warnings], isPrivate: request.isPrivate || route.method === "POST" };
    },
    sent: (http) => {
      const { members, problems } = translate(adapter, route, parametersByRequest.get(http) ?? {});
      return readWithProblems(problems, () => fromMembers(members));
    },
  };
  formatErrors(app, adapter, table);
  app.addHook("onSend", async (request, reply, payload) => {
    const parameters = parametersByRequest.get(request);
    if (!parameters || reply.statusCode >= 300 || !adapter.adaptResponse) return payload;
    const adapted = await adapter.adaptResponse(payload, { parameters, request, reply });
    return typeof adapted === "string" ? counted(Buffer.from(adapted), request, reply) : adapted;
  });
  prepareFor(app, adapter);
  refuseWrongKeys(app, admission, (http) => keyInHead(adapter, http));
  const at = { ...route, head: route.method === "GET" };
  takeRoute(app, { ...parts, admission: createAdmission(admission, credentialsOf(adapter, route)), input }, at);
}

/**
 * Counts a response that an adapter has made, such as the JSON of `/scrape`, until its client has read it.
 * @throws {AppError} `rate_limited` if the client's share is used up: unlike an image, it can't be read from storage instead.
 */
function counted(body: Buffer, request: FastifyRequest, reply: FastifyReply): Buffer {
  const client = accountOf(request);
  if (!isHeldBack(body) || client === undefined) return body;
  const isNew = ["MISS", "COALESCED"].includes(String(reply.getHeader("x-cache")));
  heldImages.assertRoom(client, isNew ? String(reply.getHeader("x-screenshot-id")) : undefined);
  heldImages.add(client, reply, [body]);
  return body;
}

/** Serves a plain route, with the same authentication and limits. Requires a dedicated Fastify instance. */
export function servePlainRoute(
  app: FastifyInstance,
  admission: AdmissionParts,
  { adapter, route, state }: { adapter: Adapter; route: PlainRoute; state: ServiceState },
): void {
  prepareFor(app, adapter);
  formatErrors(app, adapter, {});
  const { admit } = createAdmission(admission, credentialsOf(adapter, { method: "GET" }));
  app.get(route.path, async (http, reply) => {
    await admit(http, reply);
    return await route.respond(reply.header("cache-control", "no-store"), state);
  });
}

function prepareFor(app: FastifyInstance, adapter: Adapter): void {
  app.addHook("onRequest", async (request, reply) => adapter.prepare?.(request, reply));
}

/** Formats errors as the product does, with its parameter names. */
function formatErrors(app: FastifyInstance, adapter: Adapter, table: Table): void {
  const answerFailure = app.errorHandler;
  const failureOf = (error: Error & { code?: string }, limit?: number) =>
    adapter.body && error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE"
      ? new AppError("unsupported_media_type", { message: `The body must be ${adapter.body.type}.` })
      : asFailure(error, limit);
  app.setErrorHandler((error: Error, request, reply) => {
    if (error instanceof ClientGone) return answerFailure(error, request, reply);
    const failure = withProductNames(failureOf(error, request.routeOptions.bodyLimit), table, parametersByRequest.get(request) ?? {});
    const { type, text, status } = adapter.formatError(failure, request);
    setErrorBody(request, { type, bytes: Buffer.from(text), ...(status ? { status } : {}) });
    return answerFailure(failure, request, reply);
  });
}

function fromQuery(http: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queryOf(http).parameters).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

/** Forms to read at a time: of a few kilobytes, megabytes are made meanwhile. */
const forms = createPermits(2, 100, "forms");

/** Reads a body that isn't JSON, and resolves in a turn of the event loop in which it can be translated. Even a short form takes a while. */
async function readBody({ read }: NonNullable<Adapter["body"]>, http: FastifyRequest): Promise<Members> {
  const account = accountOf(http) ?? "";
  const signal = disconnections.get(http);
  const readOne = async () => {
    await turnOf(account);
    return await forAccount(account, () => read(http, signal));
  };
  const members = await forms.run(account, readOne, signal && { signal });
  countMadeOf(
    http,
    Object.values(members).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0),
  );
  await turnOf(`${account}, read`); // a form that has been read takes much memory, so it doesn't wait behind those that haven't
  return members;
}

/** Accepts the key where the product expects it, in addition to where we do. */
function credentialsOf(adapter: Adapter, route: Pick<AdapterRoute, "method">): Credentials {
  return {
    elsewhereHint: adapter.keyName === "api_key" ? "" : `, or in ${adapter.keyName}, as ${adapter.title} expects`,
    keyElsewhere: (http) =>
      keyInHead(adapter, http) ?? (route.method === "POST" && !adapter.body ? inBodyOf(http, adapter.keyName) : undefined),
    namesOf: () => [],
    assertSigned: (signatures, key, http) => {
      if (adapter.isForPages && key.allowedDomains.length === 0) throw unbound(adapter);
      if (adapter.isSigned && route.method === "GET") signatures.assertSigned(key, queryOf(http).pairs);
      else inBody.assertSigned(signatures, key, http);
    },
  };
}

function unbound({ title }: Adapter): AppError {
  const message = `${title} URLs are visible on public pages: use a key that is restricted to specific domains.`;
  return new AppError("domain_not_allowed", { message });
}

function keyInHead(adapter: Adapter, http: FastifyRequest): string | undefined {
  return queryOf(http).parameters[adapter.keyName]?.find((value) => value !== "") ?? adapter.keyOf?.(http);
}

function inBodyOf(http: FastifyRequest, name: string): string | undefined {
  return bodyOf(http).byteLength === 0 ? undefined : bodyOf(http).textOf(name);
}
