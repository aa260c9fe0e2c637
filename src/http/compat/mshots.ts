/** mShots: `GET /mshots/v1/https%3A%2F%2Fexample.com?w=600&h=400`, for `<img>`. */

import type { Members } from "../input/json-body.ts";
import { type Adapter, as, flag, ignored, into, type ProductParameters, type Table } from "./adapter.ts";

const again = ignored("it only makes the URL unique");

const table: Table = {
  url: as("url", undefined, "the rest of the path, encoded; http by default"),
  w: as("image_width", whole),
  h: into(["height"], () => ({}), "with `w`, the window has the shape of the image, so that nothing is cropped"),
  vpw: as("width", whole, "1280 by default"),
  vph: as("height", (value, parameters) => shaped(parameters) ?? whole(value), "960 by default"),
  requeue: flag(["is_cached"], (isSet) => ({ is_cached: !isSet })),
  attempt: again,
  r: again,
  v: again,
};

/** Pages send computed widths such as `363.5`; mShots truncates them. */
function whole(value: unknown): unknown {
  return /^\d+\.\d+$/.test(String(value)) ? Math.trunc(Number(value)) : value;
}

/** Viewport height for the aspect ratio of `w` by `h`. */
function shaped({ w, h, vpw = 1280 }: ProductParameters): number | undefined {
  const height = Math.round((Number(vpw) * Number(h)) / Number(w));
  return height > 0 ? height : undefined;
}

export const mshots: Adapter = {
  title: "mShots",
  reference: "https://github.com/Automattic/mShots",
  about:
    "mShots has no keys: send `api_key` in the query. Only keys that are restricted to domains are accepted, since the URL is visible on public pages. Responses are cached for a day; errors are images.",
  routes: [{ method: "GET", path: "/mshots/v1/*" }],
  keyName: "api_key",
  isForPages: true,
  table,
  readPath: ({ params }): Members => {
    const address = String((params as { "*"?: string })["*"] ?? "");
    return { url: address === "" || /^https?:\/\//i.test(address) ? address : `http://${address}` };
  },
  defaults: (parameters) => ({
    width: 1280,
    height: shaped(parameters) ?? 960,
    format: "jpeg",
    quality: 90,
    is_cached: true,
    cache_ttl: 86_400,
    error_image: true,
  }),
  formatError: ({ message }) => ({ type: "text/plain; charset=utf-8", text: message }),
};
