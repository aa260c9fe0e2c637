/** A service, a site and a key, for tests that capture pages. */

import type { Scope } from "./scope.ts";
import { startService, type TestService } from "./service.ts";
import { createSite, type Page, type Site } from "./site.ts";

export interface Captured {
  status: number;
  headers: Headers;
  /** The image, or any other body. */
  bytes: Uint8Array;
  /** The body if it is JSON: an error or a screenshot's description. */
  json: { code?: string; error?: string; title?: string; warnings?: string[] } & Record<string, unknown>;
  warnings: string | null;
  /** `ready` or `timeout`, from `Server-Timing`. */
  waitEnded: string | undefined;
}

export interface Captures {
  service: TestService;
  site: Site;
  /** A key without restrictions. */
  key: string;
  /** Captures `page`, by default as a PNG of 200 × 100, within 15 s. A string that begins with `/` or `http` is a URL instead of a page. */
  capture(page: Page, parameters?: Record<string, string | string[]>): Promise<Captured>;
  /** Evaluates `expression` in a captured page; a promise is awaited. */
  ask(expression: string, parameters?: Record<string, string | string[]>, markup?: string): Promise<unknown>;
}

/** A page on a busy machine can take longer than the service's default of 5 s to be ready. */
const defaults = { format: "png", width: "200", height: "100", wait_until_timeout: "15" };

/** For a whole file: stopped after its last test. */
export async function startCaptures(scope: Scope, settings: Record<string, string> = {}): Promise<Captures> {
  const site = await createSite(scope);
  const allowed = [site.host, settings.EGRESS_ALLOWED_HOSTS].filter(Boolean).join(",");
  const service = await startService(scope, { ...settings, EGRESS_ALLOWED_HOSTS: allowed });
  const { key } = await service.createAccount();
  let pages = 0;

  const capture: Captures["capture"] = async (page, parameters = {}) => {
    let url = typeof page === "string" && page.startsWith("http") ? page : `${site.origin}${page}`;
    if (typeof page === "function" || !/^(\/|http)/.test(page)) {
      pages += 1;
      site.serve({ [`/page-${pages}`]: page });
      url = `${site.origin}/page-${pages}`;
    }
    const response = await service.take({ api_key: key, url, ...defaults, ...parameters });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson ? JSON.parse(Buffer.from(bytes).toString()) : {},
      warnings: response.headers.get("x-warnings"),
      waitEnded: /wait;dur=[\d.]+;desc="(\w+)"/.exec(response.headers.get("server-timing") ?? "")?.[1],
    };
  };

  return {
    service,
    site,
    key,
    capture,
    ask: async (expression, parameters = {}, markup = "") => {
      const script = `(async () => { document.title = JSON.stringify(await (${expression})) })()`;
      const { status, json } = await capture(`<!doctype html>${markup}<script>${script}</script>`, {
        ...parameters,
        response_type: "json",
      });
      if (status !== 200) throw new Error(`${status}: ${json.error}`);
      return JSON.parse(json.title ?? "null");
    },
  };
}
