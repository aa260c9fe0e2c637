/** A running service with its browser endpoint. */

import type { AddressInfo } from "node:net";
import { pino } from "pino";
import type { LentBrowsers } from "../../src/browser/cdp-browsers.ts";
import { loggerOptions } from "../../src/http/server/log.ts";
import { createBrowserEndpoint } from "../../src/start/browser-endpoint.ts";
import type { Scope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";

export interface TestEndpoint {
  service: TestService;
  /** `127.0.0.1:port` */
  authority: string;
  /** `ws://…/?token=…`, followed by `query`. */
  address(key: string, query?: string): string;
}

/** `t` stops it when the test ends. */
export async function startEndpoint(t: Scope, settings: Record<string, string> = {}, minuteMs?: number): Promise<TestEndpoint> {
  const service = await startService(t, { CDP_PORT: "9", ...settings });
  const app = await createBrowserEndpoint(
    service.services,
    service.services.lent as LentBrowsers,
    pino({ ...loggerOptions, level: "silent" }),
    minuteMs,
  );
  t.after(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const authority = `127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { service, authority, address: (key, query = "") => `ws://${authority}/?token=${key}${query && `&${query}`}` };
}
