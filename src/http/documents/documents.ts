/** Serves the root, and the API's description as JSON, as YAML and as pages to read. Made when somebody asks first: pictures need none of it. */

import type { FastifyInstance, FastifyRequest } from "fastify";

type Description = Record<string, unknown>;

export function documentRoutes(app: FastifyInstance, { openApi, version }: { openApi: () => Promise<Description>; version: string }): void {
  const description = once(openApi);
  const yaml = once(async () => {
    const { stringify } = await import("yaml");
    return stringify(await description(), { aliasDuplicateObjects: false });
  });
  const pages = once(async () => {
    const { createDocumentPages } = await import("./pages.ts");
    return await createDocumentPages(await description());
  });
  app.addHook("onClose", async () => (await pages.made())?.close());

  app.get("/", async ({ headers }, reply) => {
    reply.header("vary", "Accept");
    if (headers.accept?.includes("text/html")) return reply.redirect("/docs");
    return { name: "Tintype", version, take: "/v1/screenshots/take", documents: "/docs", openapi: "/openapi.json" };
  });
  app.get("/openapi.json", description);
  app.get("/openapi.yaml", async (_request, reply) => reply.type("application/yaml; charset=utf-8").send(await yaml()));
  const page = async ({ url, headers }: FastifyRequest) => await (await pages()).inject({ url, headers });
  for (const path of ["/docs", "/docs/*"])
    app.get(path, async (request, reply) => {
      const { statusCode, headers, rawPayload } = await page(request);
      if (statusCode >= 400) return reply.callNotFound();
      const { date, connection, "transfer-encoding": encoding, ...kept } = headers; // of this answer there are others
      return reply.code(statusCode).headers(kept).send(rawPayload);
    });
}

/** Makes it at the first call; what failed is made again at the next. */
function once<T>(make: () => Promise<T>): (() => Promise<T>) & { made(): Promise<T | undefined> } {
  let making: Promise<T> | undefined;
  const get = () => {
    making ??= make().catch((error) => {
      making = undefined;
      throw error;
    });
    return making;
  };
  return Object.assign(get, { made: async () => await making });
}
