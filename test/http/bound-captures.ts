/** Two sites, and keys of one account of which one may capture only the first: for tests that try to get a screenshot of the second. */

import { createApiKey } from "../../src/accounts/admin.ts";
import { pixelAt } from "../support/picture.ts";
import type { Scope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite, type Page, type Site } from "../support/site.ts";

export interface BoundCaptures {
  /** Its pages are red. */
  site: Site;
  /** Another site; its pages are blue. `/go` of the first one redirects there. */
  other: Site;
  /** Serves `page` and captures it by one of the keys: the colour in the image's middle, or the error's code. */
  take(page: Page, options?: Options, key?: keyof Keys): Promise<string>;
  /** The same page again. */
  takeAgain(options?: Options, key?: keyof Keys): Promise<string>;
}

interface Keys {
  /** May capture `site` alone; used unless the other one is named. */
  bound: string;
  /** May capture everything. */
  free: string;
}

type Options = Record<string, string>;

/** Captures wait for it, so that no test guesses how long a page needs. */
export const end = '<p id="end">';
export const blue = colouredPage("#0000ff", end);
export const red = (body: string): string => colouredPage("#ff0000", body);
export const script = (code: string): string => `<script>${code}</script>`;

export function redirect(location: string, status = 302): Page {
  return (_, response) => void response.writeHead(status, { location }).end();
}

export function withHeaders(headers: Record<string, string>, body: string): Page {
  return (_, response) => void response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);
}

/** @param settings of the service, on top of ones that suit tests. */
export async function startBoundCaptures(scope: Scope, settings: Record<string, string> = {}): Promise<BoundCaptures> {
  const site = await createSite(scope);
  const other = await createSite(scope, { "/": blue });
  const service = await startService(scope, { ...settings, EGRESS_ALLOWED_HOSTS: `${site.host},${other.host}` });
  const { key: free, userId } = await service.createAccount();
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const keys: Keys = { free, bound: await createApiKey(service.pool, rows[0].email, { prefix: "ss", targets: [site.host] }) };
  site.serve({ "/go": redirect(`${other.origin}/`) });
  let pages = 0;

  const takeAgain: BoundCaptures["takeAgain"] = async (options = {}, key = "bound") => {
    const url = `${site.origin}/page-${pages}`;
    const usual = { format: "png", width: "200", height: "100", timeout: "15", wait_for_selector: "#end" };
    const response = await service.take({ api_key: keys[key], url, ...usual, ...options });
    const body = Buffer.from(await response.arrayBuffer());
    return response.status === 200 ? pixelAt(body, 100, 50) : JSON.parse(body.toString()).code;
  };
  return {
    site,
    other,
    takeAgain,
    take: async (page, options, key) => {
      pages += 1;
      site.serve({ [`/page-${pages}`]: page });
      return await takeAgain(options, key);
    },
  };
}
