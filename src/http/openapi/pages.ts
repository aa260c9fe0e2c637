/** The pages under `/docs`: a separate Fastify app that never listens, loaded on demand because its dependencies are large. */

import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import Fastify, { type FastifyInstance } from "fastify";

/** The caller closes the app. */
export async function createDocumentPages(openApi: Record<string, unknown>): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await app.register(swagger, { mode: "static", specification: { document: openApi as never } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    theme: { title: "Tintype API", css: [{ filename: "own.css", content: ".swagger-ui .topbar { display: none }" }] },
    uiConfig: { docExpansion: "list", tryItOutEnabled: false },
  });
  await app.ready();
  return app;
}
