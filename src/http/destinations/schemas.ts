/** Public representation of destinations, and the body that saves one. */

import { z } from "zod";
import { copyStates } from "../../accounts/destinations/copies.ts";
import { defaultTemplate, fieldNames, problemOfTemplate, templateLengthMax } from "../../accounts/destinations/object-key.ts";
import { nullableText, nullableTime } from "../account/schemas.ts";

const secret = { secret: true } as const;
export const destinationName = z.string().regex(/^[\w-]{1,64}$/);
/** Visible ASCII characters. */
const keyPart = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax, { abort: true })
    .regex(/^[!-~]+$/)
    .meta({ ...secret, valid: `1 to ${lengthMax} visible ASCII characters` });

export const destinationSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    endpoint: z.string(),
    bucket: z.string(),
    region: z.string(),
    path_style: z.boolean(),
    template: z.string(),
    created_at: z.date(),
    updated_at: z.date(),
    copied_at: nullableTime.meta({ description: "Time of the latest successful copy or test." }),
    error: nullableText.meta({ description: "Why the latest copy or test failed, as a sentence; null if it succeeded." }),
    error_at: nullableTime,
    is_paused: z.boolean().meta({
      description:
        "Whether copies fail without an attempt, because 20 in a row have failed or the server has responded with 410 Gone. A successful test ends the pause.",
    }),
  })
  .meta({ schemaName: "Destination" });

/** Names that AWS reserves. */
const reserved = /^(?:xn--|sthree-|amzn-s3-demo-)|(?:-s3alias|--ol-s3|--op-s3|--x-s3|--table-s3|\.mrap)$/;

/** Some tools use these names for a region's FIPS endpoint; here, the endpoint is given separately. */
const pseudoRegion = /^fips-|-fips$/;

export const savedDestination = z.object({
  name: destinationName.meta({ valid: "1 to 64 letters, digits, _ and -", description: "Name to send as the `destination` option." }),
  endpoint: z
    .string()
    .trim()
    .max(2_048, { abort: true })
    .refine((text) => !text.includes("?"), "must not have a query")
    .meta({
      valid: "an https URL of a public server",
      description: "URL of the S3 server, such as `https://s3.eu-central-1.amazonaws.com`.",
    }),
  bucket: z
    .string()
    .max(63, { abort: true })
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { abort: true })
    .refine((text) => !text.includes("..") && !reserved.test(text), "must not contain .. or be a name that AWS reserves")
    .meta({ valid: "3 to 63 lower-case letters, digits, . and -", description: "Name of an existing bucket." }),
  region: z
    .string()
    .max(40, { abort: true })
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, { abort: true })
    .refine((text) => !pseudoRegion.test(text), "must be a plain region, without fips")
    .default("us-east-1")
    .meta({
      valid: "1 to 40 lower-case letters, digits and - between them",
      description: "Region of the bucket; some servers require `auto`.",
    }),
  path_style: z.boolean().default(true).meta({
    description: "Whether the bucket's name is in the path of requests, which most servers accept; otherwise it is in the host name.",
  }),
  template: z
    .string()
    .max(templateLengthMax, { abort: true })
    .check(({ value, issues }) => {
      const problem = problemOfTemplate(value);
      if (problem !== undefined) issues.push({ code: "custom", message: problem, input: "" });
    })
    .default(defaultTemplate)
    .meta({
      valid: `at most ${templateLengthMax} letters, digits, . _ = @ + - / and the fields ${fieldNames.map((field) => `{${field}}`).join(", ")}`,
      description:
        "Key of each copy. `{host}`: the page's host; `{date}` and `{time}`: when the capture was made, in UTC, such as 2026-01-31 and 235959; `{label}`: the output's name, or `attachment_name`, or `screenshot`; `{id}`: the screenshot's id; `{name}`: label and id, so that no copy replaces another; `{ext}`: the format's extension.",
      examples: ["shots/{host}/{date}/{name}.{ext}"],
    }),
  access_key_id: keyPart(128).meta({ description: "Encrypted, and never returned." }),
  secret_access_key: keyPart(256).meta({ description: "Encrypted, and never returned." }),
});

export const tested = z
  .object({
    works: z.boolean().meta({ description: "Whether the object was written." }),
    key: z.string().meta({ description: "Key of the object." }),
    problem: nullableText.meta({ description: "Why the object could not be written or deleted, as a sentence." }),
  })
  .meta({ schemaName: "DestinationTest" });

/** A screenshot's copy at a destination, as shown in records and responses. */
export const copySchema = z
  .object({
    destination: z.string(),
    state: z.enum(copyStates),
    key: nullableText.meta({ description: "Key in the bucket; null until one has been assigned." }),
    error: nullableText.meta({
      description:
        "Why the copy failed or, if `state` is `pending`, why its latest attempt failed, as a sentence. Null if the copy succeeded or has not been attempted.",
    }),
  })
  .meta({ schemaName: "Copy" });
