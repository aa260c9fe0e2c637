/** The schema of an explanation, the record of a capture with `explain`. */

import { z } from "zod";

const at = z.int().meta({ description: "Milliseconds since the capture got its browser." });

export const explanationSchema = z
  .object({
    steps: z.array(z.object({ at, text: z.string() })).meta({ description: "What was done, in order." }),
    redirects: z.array(z.object({ from: z.string(), to: z.string(), status: z.int() })).meta({ description: "Of the page itself." }),
    requests: z
      .array(
        z.object({
          at,
          duration: z.int().nullable().meta({ description: "Milliseconds; null: under way when the capture ended." }),
          url: z.string(),
          type: z.string(),
          status: z.int().nullable().meta({ description: "null: no response." }),
          bytes: z.int().nullable().meta({ description: "Received, with headers." }),
          outcome: z.enum(["done", "failed", "blocked", "pending"]),
          reason: z
            .string()
            .nullable()
            .meta({ description: "Of a failed request its error, of a blocked one the option that blocked it." }),
        }),
      )
      .meta({ description: "The page's requests in order, at most 200. Frames of other origins are not included." }),
    requests_total: z.int(),
    refused: z
      .array(z.object({ host: z.string(), port: z.int(), reason: z.string() }))
      .meta({ description: "Connections that the page did not get." }),
    console: z
      .array(z.object({ level: z.enum(["error", "warning"]), text: z.string(), source: z.string().nullable() }))
      .meta({ description: "The page's errors and warnings; none if the capture failed." }),
  })
  .meta({ schemaName: "Explanation", description: "What happened during the capture; with the option `explain`." });
