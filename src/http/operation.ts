/** What an operation of the management API is: said once, for the route, its validation, its answer and the documents. */

import { z } from "zod";
import type { FailureCode } from "../errors.ts";

declare module "zod" {
  interface GlobalMeta {
    /** Name under which the documents describe it once. */
    schemaName?: string;
  }
}

export interface Operation<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  id: string;
  tag: "Sign-in" | "Account" | "Keys" | "Screenshots" | "Usage" | "Administration";
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** As Fastify writes it: `/v1/account/keys/:id`. */
  path: string;
  summary: string;
  description?: string;
  /** Who may: anybody, whoever is signed in, administrators. */
  access: "anybody" | "account" | "admin";
  params: Params;
  query: Query;
  /** `z.undefined()`: a body is not read. */
  body: Body;
  /** Status when it went well; 204 has no answer. */
  status: 200 | 201 | 204 | 302;
  /** What is sent: this and nothing else. */
  answer: Answer;
  /** Besides those that every operation can meet. */
  failures: FailureCode[];
}

const none = z.strictObject({});

type Given = Pick<Operation, "id" | "tag" | "method" | "path" | "summary" | "access"> &
  Partial<Pick<Operation, "description" | "status" | "failures">>;

/** Gives an operation its exact types, and what it leaves out. */
export function operation<
  Params extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof none,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodUndefined,
>(given: Given & { params?: Params; query?: Query; body?: Body; answer?: Answer }): Operation<Params, Query, Body, Answer> {
  return {
    status: given.answer ? 200 : 204,
    failures: [],
    ...given,
    params: given.params ?? (none as unknown as Params),
    query: given.query ?? (none as unknown as Query),
    body: given.body ?? (z.undefined() as unknown as Body),
    answer: given.answer ?? (z.undefined() as unknown as Answer),
  };
}

/** The JSON schema of an operation's part, as callers see it: times are text. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): z.core.JSONSchema.BaseSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern; // a page of signs that says the same
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "output") delete jsonSchema.additionalProperties; // an answer may get more members in a later version
    },
  });
  return json;
}
