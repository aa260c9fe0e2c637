/** Options of the request rather than of the capture: caching, signature, and the form of the answer. */

import { z } from "zod";
import { optionGroup } from "../capture/option-group.ts";

/** The last second that an ISO 8601 date of four digits can say: milliseconds given for seconds are past it. */
const expiresMax = 253_402_300_799;

export const delivery = optionGroup({
  title: "Delivery",
  intro: "Where the picture comes from and how it is handed over. A page that answers with an error status is never cached.",
  notes: [
    "Whoever sees a picture on a page sees its link, API key included. A signed link can't be changed: not to another page, not past its `expires`. `node src/cli.ts key:create … --require-signature` makes a key that takes signed requests only, and `key:secret` says its signing secret, which stays on your server:",
    [
      "```sh",
      'query="api_key=$API_KEY&url=https%3A%2F%2Fexample.com%2F&expires=1893456000"',
      'signature=$(printf %s "$query" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d" " -f1)',
      'curl -o picture.jpg "http://localhost:3000/v1/screenshots/take?$query&signature=$signature"',
      "```",
    ].join("\n"),
    "`Cache-Control` lets every cache keep a picture for an hour, with `is_cached` for `cache_ttl`, but never past `expires`. It is `private`, for the asker's own browser, when the request carries a secret or the key is bound to domains: a cache that many share doesn't look at who asks.",
    "`HEAD` instead of `GET` captures and stores as ever and answers with the headers alone: with `is_cached` it fills the cache for the requests to come.",
  ].join("\n\n"),
  example: { is_cached: "true", cache_ttl: "86400", attachment_name: "front page" },
  parameters: () => ({
    is_cached: z.boolean().default(false).meta({
      identity: false,
      description:
        "Answer with a stored capture of the same options when it is younger than `cache_ttl`; otherwise capture and store. A cached answer costs no quota.",
    }),
    cache_ttl: z.int().min(60).max(31_622_400).default(3600).meta({
      identity: false,
      unit: "seconds",
      description: "Greatest age of a cached picture in seconds, and the `max-age` of the answer; without `is_cached` it means nothing.",
    }),
    cache_key: z
      .string()
      .max(250)
      .optional()
      .meta({ description: "Any text; pictures with different ones are cached apart.", examples: ["release-42"] }),
    response_type: z.enum(["image", "json", "empty"]).default("image").meta({
      identity: false,
      description: "`image` is the picture itself; `json` describes it and links to it; `empty` captures and stores without a body.",
    }),
    attachment_name: z
      .string()
      .max(255)
      .optional()
      .meta({
        identity: false,
        description:
          "File name under which browsers save the picture instead of showing it; the format's extension is added where it is missing.",
        examples: ["front page"],
      }),
    expires: z
      .int()
      .min(1)
      .max(expiresMax)
      .optional()
      .meta({
        identity: false,
        description: "When the request stops being valid, in Unix seconds; signed, nobody can prolong it.",
        examples: [1893456000],
      }),
    signature: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({
        identity: false,
        description:
          "HMAC-SHA256 in hex of the query string exactly as it is sent, without this parameter and its `&`, by the key's signing secret. A key may require it.",
        valid: "64 hexadecimal digits in lower case",
        examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
      }),
    strict: z
      .boolean()
      .default(false)
      .meta({ identity: false, description: "Refuse unknown parameters instead of ignoring them with a warning." }),
    dry_run: z.boolean().default(false).meta({
      identity: false,
      description:
        "Answer with the options as they would count, warnings and the state of the cache, as JSON; nothing is captured or counted.",
    }),
  }),
});
