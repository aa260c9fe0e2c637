/** The usual hand-written service: a Fastify route with one browser and a new page for each request. */

import Fastify from "fastify";
import puppeteer from "puppeteer-core";
import { executablePath, extraArgs, quality, viewport } from "./host.ts";

const browser = await puppeteer.launch({ executablePath, headless: "shell", args: extraArgs, defaultViewport: viewport });
const app = Fastify();

app.get("/health/ready", async () => "ready");
app.get<{ Querystring: { url: string; full_page?: string; format?: string } }>("/v1/screenshots/take", async (request, reply) => {
  const { url, full_page, format } = request.query;
  const type = format === "png" ? "png" : "jpeg";
  const page = await browser.newPage();
  try {
    await page.goto(url, { waitUntil: "load" });
    const bytes = await page.screenshot({ type, fullPage: full_page === "true", ...(type === "jpeg" ? { quality } : {}) });
    return reply.type(`image/${type}`).send(Buffer.from(bytes));
  } finally {
    await page.close();
  }
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
process.once("SIGTERM", () => browser.close().finally(() => process.exit(0)));
