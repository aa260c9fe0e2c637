/** The web front end before a real service, and people with browsers. */

import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { freePort } from "../../scripts/stack/ports.ts";
import { type ServerProcess, spawnProcess } from "../support/process.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";

export interface FrontEnd {
  /** `http://localhost:port`, as people type it. */
  origin: string;
  service: TestService;
  /** What any page of this browser complained about: errors on its console, refusals of its policy, exceptions. */
  complaints: string[];
  /** A new person: their own cookies. */
  visit(options?: BrowserContextOptions): Promise<Page>;
  /** Signs up over HTTP and gives the session to a new person's browser. */
  signUp(name: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Everything ends with `outer`. `settings` are the service's. */
export async function startFrontEnd(outer: Scope, settings: Record<string, string> = {}): Promise<FrontEnd> {
  const t = lastFirst(outer);
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const service = await startService(t, { WEB_PUBLIC_URL: origin, TRUST_PROXY: "127.0.0.1", ...settings });
  await startWebServer(t, { WEB_SERVER_URL: service.origin, WEB_PORT: String(port) });
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? "",
    chromiumSandbox: process.env.CHROMIUM_SANDBOX !== "false",
  });
  t.after(() => browser.close());

  const complaints: string[] = [];
  const visit = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL: origin, ...options });
    context.on("page", (page) => {
      page.on("console", (message) => {
        // The browser reports the answer "you are not signed in" by itself, as every status from 400 on.
        const asked = message.location().url === `${origin}/v1/account` && message.text().includes("401");
        if (message.type() === "error" && !asked) complaints.push(`${page.url()}: ${message.text()}`);
      });
      page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
    });
    return await context.newPage();
  };
  return {
    origin,
    service,
    complaints,
    visit,
    signUp: async (name, options) => {
      const page = await visit(options);
      const body = { name, email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`, password: "correct horse battery" };
      const answer = await page.request.post("/v1/auth/sign-up", { data: body, headers: { origin } });
      if (answer.status() !== 201) throw new Error(`sign-up: ${answer.status()} ${await answer.text()}`);
      return page;
    },
  };
}

/** The built front end's own process with exactly these settings. Resolves when it listens; rejects with its words when it ends first. */
export async function startWebServer(t: Scope, settings: Record<string, string>): Promise<ServerProcess> {
  const command = [process.execPath, join(process.env.TEST_WEB ?? "", "server/main.ts")];
  const server = spawnProcess(t, command, { WEB_HOST: "127.0.0.1", ...settings });
  await server.printed("Server listening");
  return server;
}
