/** Stored screenshots: by key (`/v1/screenshots`, `/v1/screenshots/:id/image`), and by signed link (`/v1/screenshots/:file`). */

import { z } from "zod";
import { assertNotPublic } from "../../accounts/keys/restrictions.ts";
import { scalingPermits } from "../../comparison/compare.ts";
import { assertComparable, listStored, openStoredImage, readStoredImage } from "../../screenshots/compare/stored-shots.ts";
import { AppError } from "../../shared/errors.ts";
import { extensions, type Format, formats } from "../../shared/formats.ts";
import { isImageId, type Links, linkLifetimeSeconds, objectKey } from "../../storage/link.ts";
import { callStore, type ImageStore } from "../../storage/store.ts";
import { cursor, nextCursor, nullableCount, nullableText } from "../account/schemas.ts";
import { admissionFailures } from "../captures/state.ts";
import type { CompareParts } from "../comparisons/compare.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import { queryOf } from "../input/request-target.ts";
import { keyInQuery, operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { followDisconnection } from "../server/requests.ts";
import { setContent } from "./answer.ts";

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
    // The link doesn't say whether a HAR file was captured with `har_secrets`, so no HAR file may be cached.
    const control = format === "har" ? "no-store" : "private, max-age=3600, immutable";
    setContent(reply, format, stored.bytes).header("cache-control", control);
    if (request.method !== "HEAD") return reply.send(stored.stream);
    stored.stream.destroy();
    return reply.send();
  });
}

const tag = "Screenshots" as const;
const access = "key" as const;
const forWhom = "Not available to keys that are restricted to domains, since visitors to pages on those domains can read the key.";

const listOwn = operation({
  id: "listStoredScreenshots",
  tag,
  method: "GET",
  path: "/v1/screenshots",
  summary: "The key's stored screenshots",
  description: `Newest first, including documents. Doesn't count toward the quota. ${forWhom}`,
  access,
  query: z.strictObject({ limit: z.int().min(1).max(100).default(24), cursor, ...keyInQuery }),
  answer: z.object({
    screenshots: z
      .array(
        z.object({
          id: z.uuid(),
          url: z.string(),
          title: nullableText.meta({ description: "Title of the page; null if it has none, or has not been captured." }),
          format: z.enum(formats),
          width: nullableCount,
          height: nullableCount,
          bytes: nullableCount,
          link: z.string().meta({ description: "Signed link to the file, valid for a day." }),
          created_at: z.date(),
          expires_at: z.date(),
        }),
      )
      .meta({ description: "May be empty even if there is another page." }),
    next_cursor: nextCursor,
  }),
  failures: admissionFailures,
});

const readOwnImage = operation({
  id: "getStoredImage",
  tag,
  method: "GET",
  path: "/v1/screenshots/:id/image",
  summary: "A stored image by its id",
  description: `Returns any of the account's images, unless the key may not capture its page. Doesn't count toward the quota. ${forWhom}`,
  access,
  params: z.strictObject({ id: z.uuid() }),
  query: z.strictObject({
    fit: z
      .enum(["model"])
      .optional()
      .meta({ description: "`model`: scaled to the bounds of the `fit` option, as JPEG, PNG or WebP. Otherwise the file as stored." }),
    ...keyInQuery,
  }),
  answer: z.file(),
  failures: [...admissionFailures, "not_found", "queue_full"],
});

export const storedOperations = [listOwn, readOwnImage];

export function storedOwnRoutes(keyRoute: KeyRoute, parts: CompareParts): void {
  keyRoute(listOwn, async ({ caller, query: { limit, cursor: before }, request }) => {
    assertNotPublic(caller, "can't read stored screenshots");
    const { screenshots, next } = await listStored(parts.database, caller, { before, limit });
    const base = parts.linkBase(request);
    return {
      screenshots: screenshots.map(({ id, url, title, format, width, height, bytes, createdAt, expiresAt }) => {
        const link = `${base}${parts.links.sign(id, format, linkLifetimeSeconds)}`;
        return { id, url, title, format, width, height, bytes, link, created_at: createdAt, expires_at: expiresAt };
      }),
      next_cursor: next,
    };
  });

  keyRoute(readOwnImage, async ({ caller, params: { id }, query: { fit }, reply }) => {
    assertNotPublic(caller, "can't read stored screenshots");
    if (!fit) {
      const { format, bytes, stream } = await openStoredImage(parts, caller, { member: "id", id });
      setContent(reply, format, bytes);
      return stream;
    }
    await assertComparable(parts.database, caller, [{ member: "id", id }]);
    const scale = async () => {
      const stored = await readStoredImage(parts, caller, { member: "id", id });
      const { fitForModels } = await import("../../storage/fit-for-models.ts");
      return await fitForModels(stored).catch((cause) => {
        throw new AppError("unavailable", { message: "The stored file is damaged: it can't be decoded.", cause });
      });
    };
    const { format, image } = await scalingPermits.run(caller.userId, scale, { signal: followDisconnection(reply) });
    setContent(reply, format, image.length);
    return image;
  });
}
