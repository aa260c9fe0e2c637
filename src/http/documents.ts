/** Serves the interface's description: as JSON, as YAML, and as a page to read. */

import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { stringify } from "yaml";

export async function documentRoutes(app: FastifyInstance, { openApi }: { openApi: Record<string, unknown> }): Promise<void> {
  const yaml = stringify(openApi, { aliasDuplicateObjects: false });
  app.get("/openapi.json", async () => openApi);
  app.get("/openapi.yaml", async (_request, reply) => reply.type("application/yaml; charset=utf-8").send(yaml));
  await app.register(swagger, { mode: "static", specification: { document: openApi as never } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    theme: { title: "Tintype API", css: [{ filename: "own.css", content: ".swagger-ui .topbar { display: none }" }] },
    uiConfig: { docExpansion: "list", tryItOutEnabled: false },
  });
}
