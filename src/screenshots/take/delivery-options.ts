/** Options of the request rather than the capture: comparison, caching, signature and response type. */

import { z } from "zod";
import { optionGroup } from "../../capture/option-group.ts";
import { imageFormats, otherFormats } from "../../shared/formats.ts";

/** 9999-12-31T23:59:59Z in Unix seconds; rejects timestamps in milliseconds. */
const expiresMax = 253_402_300_799;

export const delivery = optionGroup({
  title: "Delivery",
  intro:
    "Caching, the response when a capture fails, signed links and the form of the response. Pages with an HTTP error status are never cached.",
  notes: [
    "A link in a public page exposes its API key. Sign the link, so that it can't be changed to capture another page, or used past its `expires`. `node src/cli.ts key:create … --require-signature` creates a key that accepts only signed requests, and only for screenshots: a signature covers the query, not the path, so everything else is refused; `key:secret` prints its signing secret. Keep the secret on your server:",
    [
      "```sh",
      'query="api_key=$TINTYPE_KEY&url=https%3A%2F%2Fexample.com%2F&expires=1893456000"',
      'signature=$(printf %s "$query" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d" " -f1)',
      'curl --fail-with-body -o screenshot.jpg "http://localhost:3000/v1/screenshots/take?$query&signature=$signature"',
      "```",
    ].join("\n"),
    "`Cache-Control` allows caching for an hour, or for `cache_ttl` with `is_cached`, but never past `expires`. It is `private` if the request contains a secret, the key is restricted to domains or sent in a header, or the request is a `POST`, because shared caches don't check who sends a request.",
    "`HEAD` captures and stores like `GET` and returns only the headers. With `is_cached`, it warms the cache.",
    "If a capture does not succeed, the response is the first of these that the request allows: a partial screenshot (`on_timeout=partial`, `X-Verdict: partial`), a stale one (`stale_if_error`, `X-Cache: STALE`), the error as an image (`placeholder` or `error_image`, `X-Error-Code`), the error as JSON. `stale_if_error` and `stale_while_revalidate` only use screenshots of the same account with the same options, as long as they are stored. Requests with either option store the screenshot for this purpose, even without `is_cached`. See [decision 18](decisions/0018-an-answer-in-time.md).",
    "`POST /v1/captures` creates up to 20 `outputs` from one load of a page, for the price of one screenshot. An output's options override the shared ones; outputs that differ in something that the server or the page can detect while it loads, such as user agent, cookies or locale, need another load. Outputs with identical options are refused with a 400. The response has a link to each output; with `response_type=zip` it is a zip of them. `is_cached` works per output. `timeout` applies to all of them together. See [decision 21](decisions/0021-several-outputs-of-one-load.md).",
    "With `async`, or a `Prefer: respond-async` header, the response is a 202 with the capture's state: `GET /v1/captures/{id}?wait=30` reads it, `DELETE` cancels it before it starts, and `webhook_url` receives `capture.done` or `capture.failed`. The capture is charged when it is queued, and refunded if it fails, is canceled or can't be stored. Captures with a waiting caller go first. A request that repeats an `Idempotency-Key` within 24 hours gets the first one's response, even if that was an error; a different request with the same key is a 409. See [decision 24](decisions/0024-captures-that-outlive-their-request.md).",
    [
      "```sh",
      "curl http://localhost:3000/v1/captures -H \"Authorization: Bearer $TINTYPE_KEY\" -H 'Content-Type: application/json' -d '{",
      '  "url": "https://example.com/", "block_cookie_banners": true,',
      '  "outputs": [{"name": "desktop", "format": "png"}, {"name": "phone", "width": 390, "full_page": true},',
      '              {"name": "dark", "prefers_color_scheme": "dark"}, {"name": "print", "format": "pdf"}]}\'',
      "```",
    ].join("\n"),
  ].join("\n\n"),
  example: { is_cached: "true", cache_ttl: "86400", attachment_name: "front page" },
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of options
  parameters: () => ({
    is_cached: z.boolean().default(false).meta({
      identity: false,
      description:
        "Return a stored screenshot with the same options if it is younger than `cache_ttl`; otherwise capture and store. Cached responses don't count against the quota.",
    }),
    cache_ttl: z.int().min(60).max(31_622_400).default(3600).meta({
      identity: false,
      unit: "seconds",
      description: "Maximum age of a cached screenshot in seconds, and the `max-age` of the response. Ignored without `is_cached`.",
    }),
    stale_while_revalidate: staleAge(
      "Return a stored screenshot up to this age in seconds immediately, with `X-Cache: STALE`, and replace it with a capture in the background, which counts against the quota. A screenshot younger than `cache_ttl` is returned without a capture if `is_cached` is given.",
      86_400,
    ),
    stale_if_error: staleAge(
      "If the capture fails, return a stored screenshot up to this age in seconds instead of the error, with `X-Cache: STALE` and the error in `X-Warnings`. It doesn't count against the quota.",
      604_800,
    ),
    error_image: z.boolean().default(false).meta({
      output: "none",
      identity: false,
      description:
        "Return errors as an image of the requested size and format that shows the message, for use in `<img>`. The status and headers are those of the error, with its code in `X-Error-Code`. Errors are JSON until the key has been accepted, with `response_type=json` or `empty`, and with a `format` that is not an image.",
    }),
    placeholder: z
      .string()
      .regex(/^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i)
      .optional()
      .meta({
        output: "none",
        identity: false,
        description:
          "Return errors as an image filled with this color, without text; implies `error_image`. 4 or 8 digits include transparency, which png, webp and avif support. With a `format` that is not an image, errors are JSON.",
        valid: "a CSS hex color, with or without its #",
        examples: ["e5e7eb"],
      }),
    cache_key: z
      .string()
      .max(250)
      .optional()
      .meta({ description: "Arbitrary text; screenshots with different values are cached separately.", examples: ["release-42"] }),
    response_type: z.enum(["image", "json", "empty"]).default("image").meta({
      output: "none",
      identity: false,
      description:
        "`image` returns the image; `json` returns its metadata and a link to it; `empty` captures and stores it and returns no body.",
    }),
    attachment_name: z
      .string()
      .max(255)
      .optional()
      .meta({
        output: "none",
        identity: false,
        description: "Makes browsers download the image under this file name instead of displaying it. The extension is added if missing.",
        examples: ["front page"],
      }),
    expires: z
      .int()
      .min(1)
      .max(expiresMax)
      .optional()
      .meta({
        output: "shared",
        identity: false,
        description: "Expiry time of the request in Unix seconds; a signature protects it from being changed.",
        examples: [1893456000],
      }),
    destination: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional()
      .meta({
        output: "image",
        identity: false,
        valid: "the name of one of the account's destinations",
        description:
          "Also copy the stored screenshot to this destination, a bucket of your own that was saved with `POST /v1/destinations`. Failed copies are retried for a day. Not available to keys that are restricted to domains. See [Destinations](destinations.md).",
        examples: ["archive"],
      }),
    signature: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({
        output: "none",
        identity: false,
        description:
          "Hex HMAC-SHA256 of the query string exactly as sent, without this parameter and its `&`, using the key's signing secret. Required by keys that accept only signed requests.",
        valid: "64 lower-case hexadecimal digits",
        examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
      }),
    strict: z
      .boolean()
      .default(false)
      .meta({ output: "none", identity: false, description: "Reject unknown parameters instead of ignoring them with a warning." }),
    dry_run: z.boolean().default(false).meta({
      output: "none",
      identity: false,
      description: "Return the effective options, warnings and the state of the cache as JSON, without capturing or counting anything.",
    }),
  }),
});

function staleAge(description: string, example: number) {
  return z
    .int()
    .min(1)
    .max(31_622_400)
    .optional()
    .meta({ output: "none", identity: false, unit: "seconds", description, examples: [example] });
}

interface Others {
  format?: string;
  slice_height?: number;
}

export const comparison = optionGroup({
  title: "Comparison",
  intro: "Compares the capture with an earlier screenshot of the account, like `POST /v1/compare`.",
  notes: [
    "The result is in the `X-Changed`, `X-Changed-Share` and `X-Changed-Regions` headers. With `response_type=json`, and in each output of `POST /v1/captures`, the `comparison` member lists all regions. Sent next to `outputs`, the option applies to each output that is an image. Regions are named, and text is compared, if both screenshots were captured together with their elements: as outputs of one `POST /v1/captures` that includes `format=elements` at the same size.",
    "An id that the account doesn't have results in a 404 before anything is captured or counted. Cached screenshots are compared as well. The comparison doesn't use the quota, but uses some of the `timeout`. A screenshot that can't be compared in time, or is too large, is returned with a warning instead; `POST /v1/compare` can compare it later, and also accepts `threshold` and `ignore_selectors`. See [Comparing](comparing.md).",
  ].join("\n\n"),
  example: { compare_to: "019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11" },
  parameters: () => ({
    compare_to: z
      .uuid()
      .optional()
      .meta({
        output: "image",
        identity: false,
        description: "Id of one of the account's stored screenshots. Reports what has changed since then, if `format` is an image format.",
        examples: ["019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11"],
      }),
  }),
  conflicts: (options) => {
    const { format, slice_height } = options as Others;
    if (options.compare_to === undefined) return [];
    if (slice_height !== undefined) return [{ parameter: "compare_to", message: "can't be used with slice_height" }];
    if (!otherFormats.some((one) => one === format)) return [];
    return [{ parameter: "compare_to", message: `requires an image format, one of ${imageFormats.join(", ")}` }];
  },
});
