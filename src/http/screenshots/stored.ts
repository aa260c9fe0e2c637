/** `GET` and `HEAD /v1/screenshots/:file`: a stored picture by its signed link. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import type { Links } from "../../images/link.ts";
import { contentTypes, extensions, type ImageFormat, isImageId, objectKey } from "../../images/object-key.ts";
import type { ImageStore } from "../../images/store.ts";
import { callStore } from "../call-store.ts";
import { queryOf } from "../query.ts";

const formats = Object.fromEntries(Object.entries(extensions).map(([format, extension]) => [extension, format as ImageFormat]));

export function storedRoute(app: FastifyInstance, { links, store }: { links: Links; store: ImageStore }): void {
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { expires = [], signature = [] } = queryOf(request).parameters;
    const [id = "", extension = "", ...rest] = (request.params as { file: string }).file.split(".");
    const format = formats[extension];
    if (!format || !isImageId(id) || rest.length > 0) throw new AppError("not_found");
    const given = [expires, signature].every((values) => values.length === 1);
    if (!given || !links.verify(id, extension, String(expires), String(signature))) throw new AppError("signature_invalid");
    const stored = await callStore((signal) => store.get(objectKey(id, format), signal));
    if (!stored) throw new AppError("not_found");
    reply.type(contentTypes[format]).header("content-length", stored.bytes).header("cache-control", "private, max-age=3600, immutable");
    if (request.method !== "HEAD") return reply.send(stored.stream);
    stored.stream.destroy();
    return reply.send();
  };
  app.route({ method: ["GET", "HEAD"], url: "/v1/screenshots/:file", exposeHeadRoute: false, handler: send });
}
