/** `GET` and `HEAD /v1/screenshots/:file`: a stored image by its signed link. */

import { z } from "zod";
import { callStore } from "../../shared/call-store.ts";
import { AppError } from "../../shared/errors.ts";
import { extensions, type Format } from "../../shared/formats.ts";
import type { Links } from "../../storage/link.ts";
import { isImageId, objectKey } from "../../storage/object-key.ts";
import type { ImageStore } from "../../storage/store.ts";
import { queryOf } from "../input/request-target.ts";
import { operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { setContent } from "./screenshot-headers.ts";

export const readStored = operation({
  id: "getStoredScreenshot",
  tag: "Screenshots",
  method: "GET",
  head: true,
  path: "/v1/screenshots/:file",
  summary: "Fetch a stored screenshot by its signed link",
  description: "`response_type=json` returns these links; they are valid for a day. `HEAD` returns the headers only.",
  access: "public",
  params: z.strictObject({ file: z.string().meta({ description: "Id and extension of the image." }) }),
  query: z.object({
    expires: z.string().meta({ description: "Expiry time of the link in Unix seconds." }),
    signature: z.string().meta({ description: "Signature of the link." }),
  }),
  readsOwnQuery: true, // any deviation from the signed link is reported as `signature_invalid`
  answer: z.file(),
  failures: ["signature_invalid", "not_found"],
});

const formatOf = Object.fromEntries(Object.entries(extensions).map(([format, extension]) => [extension, format as Format]));

export function storedRoute({ publicRoute }: Routes, { links, store }: { links: Links; store: ImageStore }): void {
  publicRoute(readStored, async ({ params, request, reply }) => {
    const { expires = [], signature = [] } = queryOf(request).parameters;
    const [id = "", extension = "", ...rest] = params.file.split(".");
    const format = formatOf[extension];
    if (!format || !isImageId(id) || rest.length > 0) throw new AppError("not_found");
    const given = [expires, signature].every((values) => values.length === 1);
    if (!given || !links.verify(id, extension, String(expires), String(signature))) throw new AppError("signature_invalid");
    const stored = await callStore((signal) => store.get(objectKey(id, format), signal));
    if (!stored) throw new AppError("not_found");
    setContent(reply, format, stored.bytes).header("cache-control", "private, max-age=3600, immutable");
    if (request.method !== "HEAD") return reply.send(stored.stream);
    stored.stream.destroy();
    return reply.send();
  });
}
