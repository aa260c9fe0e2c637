/** Dependencies of the management API's routes. */

import type { Billing } from "../../accounts/billing/billing.ts";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import type { TestDestination } from "../../accounts/destinations/copy.ts";
import type { Destinations } from "../../accounts/destinations/destinations.ts";
import type { Keys } from "../../accounts/keys/authenticate.ts";
import type { Signatures } from "../../accounts/keys/restrictions.ts";
import type { SignIn } from "../../accounts/people/sign-in.ts";
import type { SignUpPolicy } from "../../accounts/people/sign-up.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { SignInAttempts } from "../../accounts/sessions/sign-in-attempts.ts";
import type { UsageCounts } from "../../accounts/usage/counts.ts";
import type { CountAttempt, CountSignInAttempt } from "../../accounts/usage/rate-limit.ts";
import type { Database } from "../../database/database.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { BatchJobs } from "../../screenshots/queued/batch-jobs.ts";
import type { BatchRecords } from "../../screenshots/queued/batch-records.ts";
import type { CaptureCache } from "../../screenshots/take/cache.ts";
import type { Proxies } from "../../screenshots/take/proxies.ts";
import type { Config } from "../../settings/config.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { HealthReport } from "../../telemetry/health.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { LinkBase } from "../input/link-base.ts";

export interface ManagementParts {
  config: Config;
  database: Database;
  store: ImageStore;
  cache: CaptureCache;
  clock: Clock;
  keys: Keys;
  /** Flushed before keys, first steps or usage are read, so that this replica's latest requests are included. */
  usage: UsageCounts;
  signatures: Signatures;
  signIn: SignIn;
  signUp: SignUpPolicy;
  countAttempt: CountSignInAttempt;
  /** Rate limit for page sessions' sign-ins. */
  countSignIn: SignInAttempts["countSignIn"];
  /** Rate limit for webhooks and destination tests that a user triggers. */
  countSend: CountAttempt;
  /** Rate limit for all changes that a signed-in user makes. */
  countChange: CountAttempt;
  /** Undefined if billing is not configured. */
  billing: Billing | undefined;
  webhooks: Webhooks;
  /** Undefined if mail is not configured. */
  mailer: Mailer | undefined;
  links: Links;
  linkBase: LinkBase;
  pageSessions: PageSessions;
  proxies: Pick<Proxies, "assertUsable">;
  destinations: Destinations;
  testDestination: TestDestination;
  readCopies: ReadCopies;
  batchRecords: BatchRecords;
  batchJobs: BatchJobs;
  health: () => Promise<HealthReport>;
  slots: { state(): { running: number; waiting: number; max: number; started: number } };
  metrics: Metrics;
  /** Aborts when the shutdown begins. */
  closing: AbortSignal;
}
