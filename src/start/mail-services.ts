/** Builds the mail services, if mail is configured. */

import { createAccountMail } from "../accounts/people/account-mail.ts";
import { createNotices } from "../accounts/usage/notices.ts";
import { createMailer } from "../mail/mailer.ts";
import { systemClock as clock } from "../shared/clock.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Parts } from "./parts.ts";

const noticesEveryMs = 60_000;

/** Both are undefined if mail isn't configured. All replicas send notices, but each notice is sent by only one of them. */
export function createMailServices(
  { config, database, redis, log, opens }: Pick<Parts, "config" | "database" | "redis" | "log" | "opens">,
  metrics: Metrics,
) {
  const { SMTP_URL: url, MAIL_FROM: from, WEB_PUBLIC_URL: publicUrl } = config;
  if (url === undefined) return { mailer: undefined, accountMail: undefined };
  const mailer = opens("flush", createMailer({ url, from }, { log, metrics }), (service, deadline) => service.close(deadline));
  const notices = opens("work", createNotices({ database, mailer, clock, publicUrl, log }), (service) => service.close());
  notices.start(noticesEveryMs);
  return { mailer, accountMail: createAccountMail({ database, redis, mailer, publicUrl, log }) };
}
