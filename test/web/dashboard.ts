/** The dashboard with a real service, and a browser for each user. */

import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { freePort } from "../../scripts/stack/ports.ts";
import { type ServerProcess, spawnProcess } from "../support/process.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";

export interface Dashboard {
  /** `http://localhost:port` */
  origin: string;
  service: TestService;
  /** Console errors, policy violations and exceptions on all pages. */
  errors: string[];
  /** Opens a page in a new browser context. */
  visit(options?: BrowserContextOptions): Promise<Page>;
  /** Signs up over HTTP, in a new browser context. */
  signUp(name: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Stopped by `outer`. `settings` are the service's. */
export async function startDashboard(outer: Scope, settings: Record<string, string> = {}): Promise<Dashboard> {
  const t = lastFirst(outer);
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const service = await startService(t, { WEB_PUBLIC_URL: origin, TRUST_PROXY: "127.0.0.1", MAX_CONCURRENT_SCREENSHOTS: "1", ...settings });
  await startDashboardServer(t, { WEB_SERVER_URL: service.origin, WEB_PORT: String(port) });
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? "",
    chromiumSandbox: process.env.CHROMIUM_SANDBOX !== "false",
  });
  t.after(() => browser.close());

  const errors: string[] = [];
  const visit = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL: origin, ...options });
    context.on("page", (page) => {
      page.on("console", (message) => {
        // Browsers log every error response, including the expected 401 for a signed-out visitor.
        const expected = message.location().url === `${origin}/v1/account` && message.text().includes("401");
        if (message.type() === "error" && !expected) errors.push(`${page.url()}: ${message.text()}`);
      });
      page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
    });
    return await context.newPage();
  };
  return {
    origin,
    service,
    errors,
    visit,
    signUp: async (name, options) => {
      const page = await visit(options);
      const body = { name, email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`, password: "correct horse battery" };
      const response = await page.request.post("/v1/auth/sign-up", { data: body, headers: { origin } });
      if (response.status() !== 201) throw new Error(`sign-up: ${response.status()} ${await response.text()}`);
      return page;
    },
  };
}

/** Starts the dashboard's server with exactly these settings. Resolves when it is listening; rejects with its output if it exits first. */
export async function startDashboardServer(t: Scope, settings: Record<string, string>): Promise<ServerProcess> {
  const command = [process.execPath, join(process.env.TEST_WEB ?? "", "server/main.ts")];
  const server = spawnProcess(t, command, { WEB_LISTEN_HOST: "127.0.0.1", ...settings });
  await server.printed("Server listening");
  return server;
}
