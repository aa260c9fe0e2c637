/** API operations: one declaration for the route, the validation, the response and the documentation. */

import { z } from "zod";
import type { FailureCode } from "../../shared/errors.ts";

declare module "zod" {
  interface GlobalMeta {
    /** Name of the schema's component in the OpenAPI description. */
    schemaName?: string;
    /** Content type of a response that is not JSON. */
    contentType?: string;
    /** Whether the response is an image with an `ETag`, which clients may revalidate. */
    hasEtag?: boolean;
  }
}

export interface Operation<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  id: string;
  tag:
    | "Sign-in"
    | "Account"
    | "Keys"
    | "Screenshots"
    | "Sessions"
    | "Destinations"
    | "Watches"
    | "Usage"
    | "Billing"
    | "Administration"
    | "Webhooks"
    | "Health"
    | "Documents";
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Whether `HEAD` is supported. */
  head: boolean;
  /** In Fastify's syntax: `/v1/account/keys/:id`. */
  path: string;
  summary: string;
  description?: string;
  /** Who may call the operation: anyone, callers with an API key, signed-in users, or administrators. */
  access: "public" | "key" | "account" | "admin";
  /** Whether users who still have to set up a second factor may call the operation. */
  beforeSecondFactor: boolean;
  /** Whether it changes nothing although it isn't a GET, and so doesn't count toward the limit of changes. */
  changesNothing: boolean;
  params: Params;
  query: Query;
  /** Whether the handler parses the query itself; the schema then only documents it. */
  readsOwnQuery: boolean;
  /** `z.undefined()` if there is no body. */
  body: Body;
  /** Status on success. */
  status: 200 | 201 | 202 | 204 | 302;
  /** Validates the response and drops undeclared members. `z.undefined()` if there is no body. */
  answer: Answer;
  /** Description of a 503 response with the same schema; absent if there is none. */
  unready?: string;
  /** Errors besides the ones that every operation may return. */
  failures: FailureCode[];
  /** Whether the operation captures for a signed-in user. If so, its errors are documented as for an operation with API key access. */
  captures: boolean;
  /** For the documentation: whether requests other than `GET` must come from the dashboard's origin, which `guardManagement` checks. */
  checksOrigin: boolean;
  /** Which capture options the operation takes. Their schemas depend on the settings, and the handler validates them. */
  options?: "query" | "body" | "outputs" | "batch" | "watch";
  /** Successful responses by status, if `answer` doesn't describe them completely. @param content describes a JSON body. */
  responses?(content: (schema: z.ZodType) => Record<string, unknown>): Record<string, unknown>;
}

const none = z.strictObject({});
const idParams = z.strictObject({ id: z.uuid() });

/** Query parameters of operations that require an API key. */
export const keyInQuery = { api_key: z.string().optional().meta({ description: "The API key, unless it is in a header." }) };

/** Default path parameters: `:id` must be a UUID. */
type ParamsOf<Path extends string> = Path extends `${string}/:id${string}` ? typeof idParams : typeof none;

type Given = Pick<Operation, "id" | "tag" | "method" | "path" | "summary" | "access"> &
  Partial<
    Pick<
      Operation,
      "description" | "status" | "failures" | "head" | "readsOwnQuery" | "unready" | "beforeSecondFactor" | "changesNothing"
    > &
      Pick<Operation, "captures" | "checksOrigin" | "options" | "responses">
  >;

/** Declares an operation with exact types. The default status is 200, or 204 if there is no `answer`. */
export function operation<
  Params extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof none,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodUndefined,
>(given: Given & { params?: Params; query?: Query; body?: Body; answer?: Answer }): Operation<Params, Query, Body, Answer> {
  return {
    status: given.answer ? 200 : 204,
    failures: [],
    head: false,
    readsOwnQuery: false,
    beforeSecondFactor: false,
    changesNothing: false,
    captures: false,
    checksOrigin: given.access !== "key",
    ...given,
    params: given.params ?? (none as unknown as Params),
    query: given.query ?? (none as unknown as Query),
    body: given.body ?? (z.undefined() as unknown as Body),
    answer: given.answer ?? (z.undefined() as unknown as Answer),
  };
}

/** Declares operations that share their tag and access: `get("/v1/account/keys/:id", { id: "getKey", … })`. */
export function operationsFor(shared: Pick<Operation, "tag" | "access"> & Partial<Pick<Operation, "beforeSecondFactor">>) {
  const by =
    (method: Operation["method"]) =>
    <
      Path extends string,
      Params extends z.ZodObject = ParamsOf<Path>,
      Query extends z.ZodObject = typeof none,
      Body extends z.ZodType = z.ZodUndefined,
      Answer extends z.ZodType = z.ZodUndefined,
    >(
      path: Path,
      own: Omit<Given, "tag" | "access" | "method" | "path"> & { params?: Params; query?: Query; body?: Body; answer?: Answer },
    ): Operation<Params, Query, Body, Answer> => {
      const params = own.params ?? ((path.includes("/:id") ? idParams : none) as unknown as Params);
      return operation({ ...shared, method, path, ...own, params });
    };
  return { get: by("GET"), post: by("POST"), patch: by("PATCH"), put: by("PUT"), delete: by("DELETE") };
}

/** HTTP methods of the route. */
export function methodsOf({ method, head }: Pick<Operation, "method" | "head">): string[] {
  return head ? [method, "HEAD"] : [method];
}

/** The public JSON schema for a part of an operation; dates are strings. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): z.core.JSONSchema.BaseSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern; // long and redundant
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "output") delete jsonSchema.additionalProperties; // later versions may add members to responses
    },
  });
  return json;
}

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type RecordOf<Content> = { [Name in keyof Content as CamelCase<Name & string>]: Content[Name] };

/** Returns a function that picks the schema's members from a record with camel-case names. */
export function answerFrom<Schema extends z.ZodObject>(schema: Schema): (of: RecordOf<z.input<Schema>>) => z.input<Schema> {
  const names = Object.keys(schema.shape).map(
    (name) => [name, name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] as const,
  );
  return (of) => Object.fromEntries(names.map(([name, own]) => [name, of[own as keyof typeof of]])) as z.input<Schema>;
}
