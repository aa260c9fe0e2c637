/** The pages under `/docs`: a separate Fastify app that never listens, loaded on demand because its dependencies are large. */

import { readFile } from "node:fs/promises";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import Fastify, { type FastifyInstance } from "fastify";
import { describeReference } from "./reference.ts";

/** The caller must close the app. */
export async function createDocumentPages(openApi: Record<string, unknown>): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  const colors = await readFile(new URL("reference.css", import.meta.url), "utf8");
  app.addHook("onSend", async ({ headers }, reply, payload) => {
    const isPage = String(reply.getHeader("content-type")).startsWith("text/html");
    return isPage && typeof payload === "string" ? withHead(payload, headers.cookie) : payload;
  });
  await app.register(swagger, { mode: "static", specification: { document: describeReference(openApi) as never } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: true,
    // Swagger UI shows image responses as `blob:` URLs. Without TLS, `upgrade-insecure-requests` breaks the page, except on localhost.
    transformStaticCSP: (policy) =>
      policy.replace("img-src 'self' data: validator.swagger.io;", "img-src 'self' data: blob:;").replace("upgrade-insecure-requests;", ""),
    theme: { title: "Tintype API", css: [{ filename: "reference.css", content: colors }] },
    // Omits the top bar, which has its own dark mode and a field for other documents.
    uiConfig: { docExpansion: "list", tryItOutEnabled: false, layout: "BaseLayout" },
  });
  await app.ready();
  return app;
}

/** Enables the layout for phones, and applies the theme chosen in the dashboard (`web/src/shell/theme.ts`). */
function withHead(html: string, cookie = ""): string {
  const [, theme] = /(?:^|;\s*)theme=(light|dark)(?:;|$)/.exec(cookie) ?? [];
  return html
    .replace('<html lang="en">', `<html lang="en"${theme ? ` data-theme="${theme}"` : ""}>`)
    .replace("<head>", '<head><meta name="viewport" content="width=device-width, initial-scale=1">');
}
