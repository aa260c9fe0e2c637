/** Settings for the browser endpoint. */

import { z } from "zod";
import { integer } from "./types.ts";

export const browserEndpointSettings = {
  CDP_PORT: z.int().min(1).max(65_535).optional().meta({
    valid: "an integer from 1 to 65535",
    description:
      "Port of the browser endpoint, which lends browsers to programs that speak the DevTools protocol. If unset, there is no browser endpoint. Processes with `ROLE=api` have no browsers and don't open it. See docs/browser-endpoint.md.",
  }),
  CDP_MAX_SESSIONS: integer(1, 200).default(4).meta({
    description:
      "Maximum number of browsers lent concurrently, in addition to those for captures. Each uses 110 MB or more, up to `MAX_BROWSER_MEMORY_MB`.",
  }),
  CDP_MAX_SESSIONS_PER_ACCOUNT: integer(1, 200).optional().meta({
    description: "Maximum number of browsers lent to one account concurrently. By default, three quarters of all, rounded up.",
  }),
  CDP_MAX_WAIT: integer(0, 300_000).default(20_000).meta({
    unit: "milliseconds",
    description: "Maximum time that a connection waits for a browser while all are lent, before it gets a 429.",
  }),
  CDP_SESSION_TIMEOUT: integer(1000, 14_400_000).default(900_000).meta({
    unit: "milliseconds",
    description: "Maximum duration of one connection to a browser. Programs may set a shorter one with `timeout`.",
  }),
};
