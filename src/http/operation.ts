/** An operation of the API: one declaration for the route, the validation, the response and the documentation. */

import { z } from "zod";
import type { FailureCode } from "../errors.ts";

declare module "zod" {
  interface GlobalMeta {
    /** Name of the schema's component in the OpenAPI description. */
    schemaName?: string;
    /** Of an answer that is not JSON. */
    contentType?: string;
    /** Of an image: clients may revalidate it by its `ETag`. */
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
    | "Watches"
    | "Usage"
    | "Billing"
    | "Administration"
    | "Webhooks"
    | "Health"
    | "Documents";
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Whether `HEAD` is answered, too: like `GET`, without the body. */
  head: boolean;
  /** In Fastify's syntax: `/v1/account/keys/:id`. */
  path: string;
  summary: string;
  description?: string;
  /** Who may call it: anyone, signed-in users, administrators. */
  access: "public" | "account" | "admin";
  /** Whether users may call it who must set up a second factor first. */
  beforeSecondFactor: boolean;
  params: Params;
  query: Query;
  /** Whether the schema only documents the query, which the handler reads itself. */
  readsOwnQuery: boolean;
  /** `z.undefined()`: the body is not read. */
  body: Body;
  /** On success. */
  status: 200 | 201 | 202 | 204 | 302;
  /** Validates the response; members that it doesn't declare are dropped. `z.undefined()`: it has no body. */
  answer: Answer;
  /** When the same answer is sent with status 503; absent: never. */
  unready?: string;
  /** In addition to those possible for every operation. */
  failures: FailureCode[];
}

const none = z.strictObject({});

type Given = Pick<Operation, "id" | "tag" | "method" | "path" | "summary" | "access"> &
  Partial<Pick<Operation, "description" | "status" | "failures" | "head" | "readsOwnQuery" | "unready" | "beforeSecondFactor">>;

/** Declares an operation with its exact types. Without an `answer` its status is 204. */
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
    ...given,
    params: given.params ?? (none as unknown as Params),
    query: given.query ?? (none as unknown as Query),
    body: given.body ?? (z.undefined() as unknown as Body),
    answer: given.answer ?? (z.undefined() as unknown as Answer),
  };
}

/** The methods that its route takes. */
export function methodsOf({ method, head }: Pick<Operation, "method" | "head">): string[] {
  return head ? [method, "HEAD"] : [method];
}

/** The JSON schema of a part of an operation, as callers see it: dates are strings. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): z.core.JSONSchema.BaseSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern; // long and redundant
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "output") delete jsonSchema.additionalProperties; // responses may get more members in later versions
    },
  });
  return json;
}
