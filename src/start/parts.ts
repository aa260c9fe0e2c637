/** Dependencies from which services are built. */

import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { AddCopies, CopyStored } from "../accounts/destinations/copies.ts";
import type { SignInAttempts } from "../accounts/sessions/sign-in-attempts.ts";
import type { Charge } from "../accounts/usage/charge.ts";
import type { UsageCounts } from "../accounts/usage/counts.ts";
import type { OnDropped } from "../accounts/usage/drop.ts";
import type { Database } from "../database/database.ts";
import type { Jobs } from "../jobs/queue.ts";
import type { CaptureCache } from "../screenshots/take/cache.ts";
import type { Config } from "../settings/config.ts";
import type { ImageStore } from "../storage/store.ts";
import type { Emit } from "../webhooks/emit.ts";
import type { Browsers } from "./browsers.ts";
import type { Opens } from "./closer.ts";

export interface Parts extends Pick<SignInAttempts, "startTyping" | "countTyping"> {
  config: Config;
  browsers: Browsers;
  redis: Redis;
  database: Database;
  store: ImageStore;
  cache: CaptureCache;
  charge: Charge;
  onDropped: OnDropped;
  usage: UsageCounts;
  jobs: Jobs;
  emit: Emit;
  addCopies: AddCopies;
  copyStored: CopyStored;
  log: Logger;
  opens: Opens;
}
