/** Converts records to the members of a response: the same names, in snake case. */

import type { z } from "zod";

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type RecordOf<Content> = { [Name in keyof Content as CamelCase<Name & string>]: Content[Name] };

/** Returns a function that picks the schema's members from a record, where they are named in camel case. */
export function answerFrom<Schema extends z.ZodObject>(schema: Schema): (of: RecordOf<z.input<Schema>>) => z.input<Schema> {
  const names = Object.keys(schema.shape).map(
    (name) => [name, name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] as const,
  );
  return (of) => Object.fromEntries(names.map(([name, own]) => [name, of[own as keyof typeof of]])) as z.input<Schema>;
}
