/** Builds the mail services, if mail is configured. */

import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { type AccountMail, createAccountMail } from "../accounts/people/account-mail.ts";
import { createNotices } from "../accounts/usage/notices.ts";
import type { Database } from "../database/database.ts";
import { createMailer, type Mailer } from "../mail/mailer.ts";
import type { Config } from "../settings/config.ts";
import { systemClock as clock } from "../shared/clock.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Opens } from "./closer.ts";

interface Parts {
  database: Database;
  redis: Redis;
  log: Logger;
  metrics: Metrics;
  opens: Opens;
}

interface MailServices {
  /** Undefined if mail isn't configured. */
  mailer: Mailer | undefined;
  accountMail: AccountMail | undefined;
}

const noticesEveryMs = 60_000;

/** All replicas send notices, but each notice is sent by only one of them. */
export function createMailServices(config: Config, { database, redis, log, metrics, opens }: Parts): MailServices {
  const { SMTP_URL: url, MAIL_FROM: from, WEB_PUBLIC_URL: publicUrl } = config;
  if (url === undefined) return { mailer: undefined, accountMail: undefined };
  const mailer = opens("flush", createMailer({ url, from }, { log, metrics }), (service, deadline) => service.close(deadline));
  const notices = opens("work", createNotices({ database, mailer, clock, publicUrl, log }), (service) => service.close());
  notices.start(noticesEveryMs);
  return { mailer, accountMail: createAccountMail({ database, redis, mailer, publicUrl, log }) };
}
