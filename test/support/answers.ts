/** Checks a service's responses: every JSON body against its OpenAPI schema, every header against the table. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { answerHeaders, headersOn } from "../../src/http/openapi/answer-headers.ts";

type Json = Record<string, unknown>;

interface Response {
  description: string;
  headers?: Json;
  content?: Record<string, { schema: Json }>;
}

interface Description {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response> }>>;
  components: { schemas: Record<string, Json>; responses: { CommonFailure: Response } };
}

interface Sent {
  method: string;
  path: string;
  status: number;
  /** Names in lower case. */
  headers: string[];
  /** Undefined if the body is not JSON. */
  json: Json | undefined;
}

export interface AnswerCheck {
  /** @throws {Error} listing every response so far that differs from its description. */
  assertDescribed(): void;
}

/**
 * Checks every response of `server`.
 * @param describe called at the first response.
 * @param foreign paths whose bodies are described by other products.
 */
export function checkAnswers(server: Server, describe: () => object, foreign: readonly RegExp[] = []): AnswerCheck {
  const problems = new Set<string>();
  let check: ReturnType<typeof checkOf> | undefined;
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { headers, chunks } = record(response);
    response.once("finish", () => {
      check ??= checkOf(describe() as Description);
      const { method = "", url = "" } = request;
      const isJson = headers["content-type"]?.startsWith("application/json") && method !== "HEAD";
      const isForeign = foreign.some((pattern) => pattern.test(pathOf(url)));
      const json = isJson && !isForeign ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
      const problem = check({ method, path: pathOf(url), status: response.statusCode, headers: Object.keys(headers), json });
      if (problem) problems.add(problem);
    });
  });
  return {
    assertDescribed() {
      if (problems.size > 0) throw new Error(`Responses that differ from their description:\n${[...problems].join("\n")}`);
    },
  };
}

/** The path without the origin of an absolute-form target (RFC 9112, 3.2.2), decoded as by the router, if possible. */
function pathOf(url: string): string {
  const [path = ""] = url.replace(/^https?:\/\/[^/]*/i, "").split("?", 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Copies headers and body as they are sent: headers passed to `writeHead` can't be read later. */
function record(response: ServerResponse): { headers: Record<string, string>; chunks: Buffer[] } {
  const headers: Record<string, string> = {};
  const chunks: Buffer[] = [];
  const before = (name: "writeHead" | "write" | "end", note: (args: unknown[]) => void) => {
    const original = response[name].bind(response) as (...args: unknown[]) => unknown;
    const noting = (...args: unknown[]) => {
      note(args);
      return original(...args);
    };
    Object.assign(response, { [name]: noting });
  };
  before("writeHead", (args) => {
    const given = { ...response.getHeaders(), ...(args.at(-1) as object) };
    for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = String(value);
  });
  for (const name of ["write", "end"] as const)
    before(name, ([chunk]) => {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    });
  return { headers, chunks };
}

/** Once for all services of a process, because compiling the schemas takes longer than most tests. */
const checkOf = memoized(({ paths, components }: Description) => {
  // A fifth of the time of the defaults, whose faster validators aren't worth it for a few responses.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "description", components: { schemas: closed(components.schemas) } });
  const validatorOf = memoized((schema: Json) => ajv.compile(closed(schema)));
  const operations = operationsOf(paths);

  function problemsOfBody(response: Response, body: Json): string[] {
    const schema = response.content?.["application/json"]?.schema;
    if (!schema) return ["no JSON is described for this status"];
    const validate = validatorOf(schema);
    if (!validate(body))
      return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
    const isListed = typeof body.code !== "string" || response.description.includes(`\`${body.code}\``);
    return isListed ? [] : [`the code ${body.code} is not listed`];
  }

  return ({ method, path, status, headers, json }: Sent): string | undefined => {
    const operation = operations.find(
      (one) => (one.method === method || (one.method === "GET" && method === "HEAD")) && one.pattern.test(path),
    );
    const response = operation ? (operation.responses[status] ?? components.responses.CommonFailure) : noOperation;
    const found = [
      ...headers.filter((name) => !tabled.has(name)).map((name) => `the table of headers has no ${name}`),
      ...headers
        .filter((name) => operation && special.has(name) && !lists(response, name))
        .map((name) => `the header ${name} is not listed`),
      ...(json === undefined ? [] : problemsOfBody(response, json)),
    ];
    return found.length === 0 ? undefined : `${operation?.operationId ?? `${method} ${path}`} ${status}: ${found.join("; ")}`;
  };
});

const lowerCase = (names: string[]) => new Set(names.map((name) => name.toLowerCase()));
const tabled = lowerCase(Object.keys(answerHeaders));
/** Headers that only some responses have, which the description must list. */
const special = lowerCase(headersOn("capture", "screenshot", "image", "failure", "retry"));

function lists({ headers = {} }: Response, name: string): boolean {
  return lowerCase(Object.keys(headers)).has(name);
}

/** For requests that don't match an operation, only errors are possible. */
const noOperation: Response = {
  description: "`not_found`, `method_not_allowed`, `invalid_parameters`",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Static paths before those with parameters. */
function operationsOf(paths: Description["paths"]) {
  return Object.entries(paths)
    .sort(([a], [b]) => Number(a.includes("{")) - Number(b.includes("{")))
    .flatMap(([path, methods]) => {
      const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`);
      return Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), pattern }));
    });
}

/** Disallows additional properties, and resolves references within the description. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const parts: Json = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  if (typeof parts.$ref === "string") parts.$ref = parts.$ref.replace(/^#/, "description#");
  const isObject = typeof parts.properties === "object" && parts.type === "object";
  return (isObject ? { additionalProperties: false, ...parts } : parts) as T;
}
