/** Two sites and a key that may capture only the first: for tests that try to get a screenshot of the second. */

import { pixelAt } from "../support/image.ts";
import type { Scope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite, type Page, type Site } from "../support/site.ts";

export interface BoundCaptures {
  /** The allowed site; its pages are red. */
  site: Site;
  /** The other site; its pages are blue. `/go` on the first site redirects here. */
  other: Site;
  /**
   * Serves `page` and captures it with a key that is restricted to `site`. Returns the color at the center of the image, or the error
   * code.
   */
  take(page: Page, options?: Record<string, string>): Promise<string>;
}

/** Captures wait for this element, so that no test has to guess how long a page takes. */
export const end = '<p id="end">.</p>';
export const blue = colouredPage("#0000ff", end);
export const red = (body: string): string => colouredPage("#ff0000", body);
export const script = (code: string): string => `<script>${code}</script>`;

export function redirect(location: string, status = 302): Page {
  return (_, response) => void response.writeHead(status, { location }).end();
}

export function withHeaders(headers: Record<string, string>, body: string): Page {
  return (_, response) => void response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);
}

/** @param settings of the service, added to defaults that suit these tests. */
export async function startBoundCaptures(scope: Scope, settings: Record<string, string> = {}): Promise<BoundCaptures> {
  const site = await createSite(scope);
  const other = await createSite(scope, { "/": blue });
  const service = await startService(scope, { ...settings, EGRESS_ALLOWED_HOSTS: `${site.host},${other.host}` });
  const { key } = await service.createAccount({ targets: [site.host] });
  site.serve({ "/go": redirect(`${other.origin}/`) });
  let pages = 0;

  return {
    site,
    other,
    take: async (page, options = {}) => {
      pages += 1;
      const path = `/page-${pages}`;
      site.serve({ [path]: page });
      const usual = { format: "png", width: "200", height: "100", timeout: "15", wait_for_selector: "#end" };
      const response = await service.take({ api_key: key, url: site.origin + path, ...usual, ...options });
      const body = Buffer.from(await response.arrayBuffer());
      return response.status === 200 ? pixelAt(body, 100, 50) : JSON.parse(body.toString()).code;
    },
  };
}
