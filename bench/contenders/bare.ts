/** A Fastify route that serves constant bytes from memory: the upper limit for cached responses. */

import { readFileSync } from "node:fs";
import Fastify from "fastify";

const bytes = readFileSync(process.env.IMAGE ?? "");
const etag = '"the-image"';
const app = Fastify();

app.get("/health/ready", async () => "ready");
app.get("/v1/screenshots/take", async (request, reply) => {
  reply.header("etag", etag).header("cache-control", "public, max-age=3600");
  return request.headers["if-none-match"] === etag ? reply.code(304).send() : reply.type("image/jpeg").send(bytes);
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
process.once("SIGTERM", () => process.exit(0));
