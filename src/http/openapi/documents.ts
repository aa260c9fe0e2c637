/** The root path, and the OpenAPI description as JSON, YAML and HTML, created on first use. */

import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { z } from "zod";
import { once } from "../../shared/once.ts";
import { turnOf } from "../../shared/turns.ts";
import { ownerOfWork } from "../../shared/work-owner.ts";
import type { Routes } from "../server/operation-routes.ts";
import { operation } from "./operation.ts";

const shared = { tag: "Documents", method: "GET", head: true, access: "public", readsOwnQuery: true } as const;

const readRoot = operation({
  ...shared,
  id: "getRoot",
  path: "/",
  summary: "Paths of the API and its documentation; browsers are redirected to `/docs`",
  answer: z
    .object({ name: z.string(), version: z.string(), take: z.string(), documents: z.string(), openapi: z.string() })
    .meta({ schemaName: "Root" }),
});

const readJson = operation({
  ...shared,
  id: "getOpenApiJson",
  path: "/openapi.json",
  summary: "This description as JSON",
  answer: z.record(z.string(), z.unknown()),
});

const readYaml = operation({
  ...shared,
  id: "getOpenApiYaml",
  path: "/openapi.yaml",
  summary: "This description as YAML",
  answer: z.string().meta({ contentType: "application/yaml" }),
});

export const documentOperations = [readRoot, readJson, readYaml];

type Description = Record<string, unknown>;

interface DocumentParts {
  openApi: () => Promise<Description>;
  version: string;
}

export function documentRoutes(app: FastifyInstance, { publicRoute }: Routes, { openApi, version }: DocumentParts): void {
  const description = once(openApi);
  const json = once(async () => Buffer.from(JSON.stringify(await description())));
  const yaml = once(async () => Buffer.from((await writeYaml(await description())).join("")));
  const pages = once(async () => {
    const { createDocumentPages } = await import("./pages.ts");
    return await createDocumentPages(await description());
  });
  app.addHook("onClose", async () => (await pages.created())?.close());

  publicRoute(readRoot, async ({ request, reply }) => {
    reply.header("vary", "Accept");
    if (request.headers.accept?.includes("text/html")) return reply.redirect("/docs");
    return { name: "Tintype", version, take: "/v1/screenshots/take", documents: "/docs", openapi: "/openapi.json" };
  });
  publicRoute(readJson, async ({ reply }) => {
    const bytes = await json(); // cached, since serialization takes 4 ms
    await turnOf(ownerOfWork()); // sending a megabyte takes about one millisecond
    return reply.type("application/json; charset=utf-8").send(bytes);
  });
  publicRoute(readYaml, async ({ reply }) => {
    const bytes = await yaml();
    await turnOf(ownerOfWork());
    return reply.type("application/yaml; charset=utf-8").send(bytes);
  });
  const page = createPageCache(async (url, cookie) => await (await pages()).inject({ url, headers: cookie === "" ? {} : { cookie } }));
  app.get("/docs/yaml", async (_request, reply) => reply.redirect("/openapi.yaml")); // the pages' own takes 0.2 s
  for (const path of ["/docs", "/docs/*"])
    app.get(path, async ({ url, headers: { cookie, "if-none-match": known } }, reply) => {
      const [asked = ""] = url.split("?", 1);
      if (!plainPath.test(asked)) return reply.callNotFound();
      const { statusCode, headers, rawPayload } = await page(asked, cookie);
      await turnOf(ownerOfWork());
      if (statusCode >= 400) return reply.callNotFound();
      const { date, connection, "transfer-encoding": encoding, ...kept } = headers; // Fastify sets these for the outer response
      reply.headers(kept);
      if (known !== undefined && known === headers.etag) return reply.code(304).send();
      return reply.code(statusCode).send(rawPayload);
    });
}

type Page = Pick<LightMyRequestResponse, "statusCode" | "headers" | "rawPayload">;

/** How the pages name their files: each file has one path, as each path that is found stays in memory. */
const plainPath = /^\/docs(?:\/[\w-]+(?:\.[\w-]+)*)*\/?$/;

/** Keeps the pages' files, of which there are about twenty: reading one takes several milliseconds and a copy of it. */
function createPageCache(read: (path: string, cookie: string) => Promise<Page>): (path: string, cookie?: string) => Promise<Page> {
  const cache = new Map<string, Promise<Page>>();
  return async (path, cookie = "") => {
    const theme = /(?:^|;\s*)(theme=(?:light|dark))(?:;|$)/.exec(cookie)?.[1] ?? "";
    const key = `${path} ${theme}`;
    const reading = cache.get(key) ?? read(path, theme);
    cache.set(key, reading);
    const found = await reading.catch(() => undefined);
    if (!found || found.statusCode >= 400) cache.delete(key);
    return await reading;
  };
}

/** Writes each path and each group of components in a separate turn of the event loop, since writing all of them takes 0.2 s. */
async function writeYaml(description: Description): Promise<string[]> {
  const { stringify } = await import("yaml");
  const write = (content: object) => stringify(content, { aliasDuplicateObjects: false });
  const parts: string[] = [];
  for (const [section, content] of Object.entries(description)) {
    if (section !== "paths" && section !== "components") {
      parts.push(write({ [section]: content }));
      continue;
    }
    parts.push(`${section}:\n`);
    for (const [name, entry] of Object.entries(content as Description)) {
      await setImmediate();
      parts.push(write({ [name]: entry }).replace(/^(?=.)/gm, "  "));
    }
  }
  return parts;
}
