/** The schema of an explanation, the record of a capture with `explain`. */

import { z } from "zod";

const at = z.int().meta({ description: "Milliseconds since the capture got its browser." });

export const explanationSchema = z
  .object({
    steps: z.array(z.object({ at, text: z.string() })).meta({ description: "Steps of the capture, in order." }),
    redirects: z
      .array(z.object({ from: z.string(), to: z.string(), status: z.int() }))
      .meta({ description: "Redirects of the page itself." }),
    requests: z
      .array(
        z.object({
          at,
          duration: z.int().nullable().meta({ description: "Milliseconds; null if the request was still pending when the capture ended." }),
          url: z.string(),
          type: z.string(),
          status: z.int().nullable().meta({ description: "HTTP status; null without a response." }),
          bytes: z.int().nullable().meta({ description: "Bytes received, including headers." }),
          outcome: z.enum(["done", "failed", "blocked", "pending"]),
          reason: z.string().nullable().meta({ description: "The error of a failed request, or the option that blocked the request." }),
        }),
      )
      .meta({ description: "The page's requests in order, at most 200. Frames of other origins are not included." }),
    requests_total: z.int(),
    refused: z
      .array(z.object({ host: z.string(), port: z.int(), reason: z.string() }))
      .meta({ description: "Connections that the page was denied." }),
    console: z
      .array(z.object({ level: z.enum(["error", "warning"]), text: z.string(), source: z.string().nullable() }))
      .meta({ description: "The page's errors and warnings; empty if the capture failed." }),
  })
  .meta({ schemaName: "Explanation", description: "Record of the capture, with the `explain` option." });
