/** Captures of a plain green page, which must succeed whatever happens to browsers. */

import assert from "node:assert/strict";
import { pixelAt } from "../support/image.ts";
import type { Scope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Page, type Site } from "../support/site.ts";

export interface PlainCaptures {
  service: TestService;
  site: Site;
  /** Captures the page; rejects unless the image is correct. `index` makes the URL unique. */
  plainCapture(index: number): Promise<void>;
}

/** A service that may capture only a site with the plain page and `pages`. */
export async function startPlainCaptures(
  t: Scope,
  settings: Record<string, string>,
  pages: Record<string, Page> = {},
): Promise<PlainCaptures> {
  const site = await createSite(t, { "/plain": colouredPage("#00ff00", "<p>plain"), ...pages });
  const service = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, ...settings });
  const { key } = await service.createAccount();
  return {
    service,
    site,
    async plainCapture(index) {
      const parameters = { api_key: key, url: `${site.origin}/plain?${index}`, format: "png", width: "200", height: "100" };
      const response = await service.take(parameters);
      const body = Buffer.from(await response.arrayBuffer());
      assert.equal(response.status, 200, response.status === 200 ? "" : body.toString());
      assert.equal(pixelAt(body, 150, 90), "#00ff00");
    },
  };
}
