/** thum.io: `GET /get/auth/KEY/width/600/https://example.com/`, for `<img>`. */

import type { FastifyRequest } from "fastify";
import { decoded } from "../../screenshots/queued/batch-names.ts";
import { AppError } from "../../shared/errors.ts";
import type { Members } from "../input/json-body.ts";
import { createQuery } from "../input/request-target.ts";
import { type Adapter, as, ignored, into, refused, type Table } from "./adapter.ts";

const device = (name: string) => into(["viewport_device"], () => ({ viewport_device: name }));

const table: Table = {
  url: as("url", undefined, "after the modifiers, percent-encoded or not, or in the query"),
  width: as("image_width", undefined, "half of `viewportWidth` by default, so 600 unless that is set"),
  crop: as("height", undefined, "1200 by default"),
  viewportWidth: as("width", undefined, "1200 by default"),
  maxAge: as("cache_ttl", (hours) => Number(hours) * 3600, "in hours"),
  allowJPG: into(["format"], () => ({ format: "jpeg" })),
  png: into(["format"], () => ({ format: "png" })),
  noanimate: ignored("images are never animated"),
  fullpage: into(["full_page"], () => ({ full_page: true })),
  wait: as("delay"),
  iphone5: device("iPhone 5"),
  iphone6: device("iPhone 6"),
  iphone6plus: device("iPhone 6 Plus"),
  iphoneX: device("iPhone X"),
  prefetch: refused("POST /v1/batches captures many pages"),
  image: refused("only pages are captured"),
  pdfSource: refused("only pages are captured"),
};

/** Maximum number of path segments before the URL. All modifiers and their values together take 23 segments. */
const segmentsMax = 100;

/** Modifiers that are followed by a value. */
const valued = new Set(["auth", "width", "crop", "viewportWidth", "maxAge", "wait"]);

/**
 * Parses the modifiers in the path and the URL that follows them, which may contain slashes and a query.
 * @throws {AppError} `invalid_parameters` for too many segments.
 */
function readPath({ url }: Pick<FastifyRequest, "url">): Members {
  const [, rest = ""] = /^\/get\/?(.*)$/s.exec(url) ?? [];
  const start = rest.search(/(?<=^|\/)https?(:|%3A)/i);
  const address = start === -1 ? "" : rest.slice(start);
  const segments = (start === -1 ? (rest.split("?", 1)[0] ?? "") : rest.slice(0, start)).split("/", segmentsMax + 1);
  if (segments.length > segmentsMax)
    throw new AppError("invalid_parameters", { message: `The path has more than ${segmentsMax} parts before the URL.` });
  const words = segments.filter(Boolean);
  const pairs: [string, unknown][] = [];
  for (let at = 0; at < words.length; at += 1) {
    const name = words[at] ?? "";
    if (valued.has(name)) at += 1;
    pairs.push([name, valued.has(name) ? (words[at] ?? "") : true]);
  }
  return { ...Object.fromEntries(pairs), ...(address ? { url: /^https?%3A/i.test(address) ? decoded(address) : address } : {}) };
}

export const thumio: Adapter = {
  title: "thum.io",
  reference: "https://www.thum.io/documentation/api/url",
  about:
    "Only keys that are restricted to domains are accepted, since the URL is visible on public pages. Responses are cached for a day unless `maxAge` says otherwise; errors are images.",
  routes: [
    { method: "GET", path: "/get/*" },
    { method: "GET", path: "/get" },
  ],
  keyName: "auth",
  keyOf: (request) => readPath(request).auth as string | undefined,
  isForPages: true,
  table,
  prepare: (request) => {
    if (readPath(request).url !== undefined) request.query = createQuery(""); // the query belongs to the target URL
  },
  readPath,
  defaults: ({ viewportWidth = 1200, iphone5, iphone6, iphone6plus, iphoneX }) => ({
    ...(iphone5 || iphone6 || iphone6plus || iphoneX
      ? {}
      : { width: 1200, height: 1200, image_width: Math.round(Number(viewportWidth) / 2) || 600 }),
    format: "png",
    is_cached: true,
    cache_ttl: 86_400,
    error_image: true,
  }),
  formatError: ({ message }) => ({ type: "text/plain; charset=utf-8", text: message }),
};
