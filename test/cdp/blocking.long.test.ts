/** All tests of blocking.test.ts; the consent banners of all platforms, on the pages of a lent browser. */

import { before } from "node:test";
import "./blocking.test.ts";
import { consentPages } from "../capture/consent-pages.ts";
import { askOnly, startNameServer, typeA } from "../support/name-server.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";
import { testBanners } from "./banners.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.ts";

const scope = fileScope();
let site: Site;
let endpoint: TestEndpoint;
let key: string;

before(async () => {
  const names = await startNameServer(scope, (_, type) => (type === typeA ? [[127, 0, 0, 1]] : []));
  askOnly(scope, names.servers);
  site = await createSite(scope, {});
  endpoint = await startEndpoint(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.0/8" });
  ({ key } = await endpoint.service.createAccount());
});

testBanners(() => ({ site, endpoint, key }), consentPages);
