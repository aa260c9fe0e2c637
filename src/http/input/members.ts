/** Reads options from the members of a JSON body. */

import type { z } from "zod";
import type { TakeSchema } from "../../screenshots/take/take-options.ts";
import { createTakeRequest, type TakeRequest } from "../../screenshots/take/take-request.ts";
import type { Members } from "./json-body.ts";
import { createOptionsCheck, type ReadOption } from "./validation.ts";
import { betweenPair, readItems, readList, readParameter } from "./values.ts";

/**
 * @param others members of the body that aren't options.
 * @param isOutput whether the options belong to one of several outputs.
 * @throws {AppError} `invalid_parameters` (also for unknown members), `invalid_url`.
 */
export function createMembersReader(schema: TakeSchema, others: string[], isOutput = false): (members: Members) => TakeRequest {
  const check = createOptionsCheck(schema, others, isOutput);
  return (members) => {
    const names = Object.keys(members).slice(0, namesMax);
    const { options, warnings } = check(names, fromMembers(members), true);
    return createTakeRequest(schema, options, warnings);
  };
}

/** Maximum number of names checked. It exceeds the number of options, so a longer list always has an unknown name within this limit. */
const namesMax = 500;

export function fromMembers(members: Members): ReadOption {
  return (name, schema) => (Object.hasOwn(members, name) ? readMember(members[name], schema) : undefined);
}

/** Strings are read as in a query; null counts as absent. A value of the wrong type is returned unchanged, for the schema to reject. */
function readMember(value: unknown, schema: z.core.JSONSchema.BaseSchema): unknown {
  if (value === null) return undefined;
  if (typeof value === "string") return readParameter([value.toWellFormed()], schema);
  if (schema.type !== "array") return value;
  if (typeof value === "number") return readItems([value], schema);
  const list = Array.isArray(value) || schema.reading === "lines" ? readList(value, betweenPair(schema)) : undefined;
  return list ? readItems(list.map(wellFormed), schema) : value;
}

function wellFormed(item: unknown): unknown {
  return typeof item === "string" ? item.toWellFormed() : item;
}
