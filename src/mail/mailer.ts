/** Sends mail in the background: callers never wait for the mail server or fail because of it. */

import type { BaseLogger } from "pino";
import { untilAborted } from "../shared/deadline.ts";
import { once } from "../shared/once.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { type Message, renderMessage } from "./messages.ts";

export interface Mailer {
  /** Queues `message` for `to`. Failures are logged; the metric `tintype_mails_total` counts all results. */
  send(to: string, message: Message): void;
  /** Sends queued messages until `deadline` aborts. Those still waiting, even for a retry, are lost and count as failed. */
  close(deadline: AbortSignal): Promise<void>;
}

export interface MailSettings {
  /** `SMTP_URL`. */
  url: string;
  /** `MAIL_FROM`. */
  from: string;
}

interface Dependencies {
  log: BaseLogger;
  metrics: Pick<Metrics, "mails">;
}

interface Queued {
  to: string;
  message: Message;
  /** Number of failed attempts. */
  failures: number;
}

const minuteMs = 60_000;
const defaultPausesMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
const queuedMax = 1_000;
/** Maximum number of unsent e-mails per address, so that one recipient can't fill the queue. */
const perRecipientMax = 10;
const concurrentMax = 3;
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** @param pausesMs delay before each retry; there is one more attempt than there are delays. */
export function createMailer(settings: MailSettings, { log, metrics }: Dependencies, pausesMs: number[] = defaultPausesMs): Mailer {
  const waiting: Queued[] = [];
  const sending = new Set<Promise<void>>();
  /** Number of unsent e-mails per recipient. */
  const queued = createOwnerSums();
  const retries = new Set<NodeJS.Timeout>();
  const attempt = createAttempt(settings);
  let closed = false;

  function add(mail: Queued): void {
    waiting.push(mail);
    start();
  }

  function start(): void {
    while (sending.size < concurrentMax) {
      const next = waiting.shift();
      if (!next) return;
      const running: Promise<void> = deliver(next).finally(() => {
        sending.delete(running);
        start();
      });
      sending.add(running);
    }
  }

  async function deliver(mail: Queued): Promise<void> {
    const failure = await attempt(mail);
    const pauseMs = failure?.isPermanent || closed ? undefined : pausesMs[mail.failures];
    const result = !failure ? "sent" : pauseMs === undefined ? "failed" : "retried";
    metrics.mails.inc({ result });
    if (failure) log.warn({ mail: mail.message.kind, result, attempt: mail.failures + 1, ...failure }, "failed to send an e-mail");
    if (result !== "retried") return queued.add(mail.to, -1);
    const timer = setTimeout(() => {
      retries.delete(timer);
      add({ ...mail, failures: mail.failures + 1 });
    }, pauseMs).unref();
    retries.add(timer);
  }

  return {
    send(to, message) {
      const isFull = queued.total() >= queuedMax || queued.of(to) >= perRecipientMax;
      if (!closed && !isFull) {
        queued.add(to, 1);
        return add({ to, message, failures: 0 });
      }
      metrics.mails.inc({ result: "failed" });
      log.error({ mail: message.kind }, closed ? "e-mail not sent: shutting down" : "e-mail not sent: too many are waiting");
    },
    async close(deadline) {
      closed = true;
      for (const timer of retries) clearTimeout(timer);
      const sent = async () => {
        while (sending.size > 0) await Promise.race(sending);
      };
      await untilAborted(sent(), deadline).catch(() => {}); // the deadline has passed
      const lost = retries.size + waiting.splice(0).length;
      metrics.mails.inc({ result: "failed" }, lost);
      if (lost > 0) log.warn({ mails: lost }, "e-mails could not be sent before the shutdown");
    },
  };
}

interface AttemptFailure {
  isPermanent: boolean;
  code: string | undefined;
  /** The server's response or the error's message, at most 300 characters. Logged, so it omits the recipient and `SMTP_URL`. */
  reason: string;
}

/** Returns a function that sends an e-mail. It resolves to undefined if the server has accepted the e-mail, otherwise to the failure. */
function createAttempt(settings: MailSettings): (mail: Queued) => Promise<AttemptFailure | undefined> {
  const transport = createTransport(settings);
  return async ({ to, message }) => {
    try {
      await (await transport()).sendMail({ from: settings.from, to: { name: "", address: to }, ...renderMessage(message) });
      return undefined;
    } catch (error) {
      const {
        code,
        responseCode = 0,
        response,
        message: text,
      } = error as Error & { code?: string; responseCode?: number; response?: string };
      // 5xx is a permanent refusal; 4xx or no response may be temporary.
      return {
        isPermanent: responseCode >= 500,
        code,
        reason: (response ?? text).replaceAll(to, "[recipient]").replaceAll(settings.url, "SMTP_URL").slice(0, 300),
      };
    }
  };
}

/** The library is loaded when the first message is sent. Each message uses its own connection, unless `SMTP_URL` has `?pool=true`. */
function createTransport({ url }: MailSettings) {
  return once(async () => {
    const { createTransport: create } = await import("nodemailer");
    return create({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  });
}
