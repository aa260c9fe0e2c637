/** Sends mail in the background: callers never wait for the mail server, and never fail with it. */

import type { BaseLogger } from "pino";
import { untilAborted } from "../deadline.ts";
import type { Metrics } from "../metrics.ts";
import { createOwnerSums } from "../owner-sums.ts";
import { type Message, renderMessage } from "./message.ts";

export interface Mailer {
  /** Queues `message` for `to`. Whether it was delivered is in the log and in the metric `tintype_mails_total`. */
  send(to: string, message: Message): void;
  /** Sends what is queued until `deadline` aborts; messages that wait for a retry are lost. */
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
  /** Of failed attempts. */
  failures: number;
}

const minuteMs = 60_000;
const defaultPausesMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
const queuedMax = 1_000;
/** Mails to one address that wait, so that nobody's mails take the place of others'. */
const perRecipientMax = 10;
const concurrentMax = 3;
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** @param pausesMs before each retry; one attempt more than there are pauses. */
export function createMailer(settings: MailSettings, { log, metrics }: Dependencies, pausesMs: number[] = defaultPausesMs): Mailer {
  const waiting: Queued[] = [];
  const sending = new Set<Promise<void>>();
  /** Mails that have not ended, for each recipient. */
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
    if (failure) log.warn({ mail: mail.message.kind, result, attempt: mail.failures + 1, ...failure }, "failed to send a mail");
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
      log.error({ mail: message.kind }, closed ? "a mail was not sent: shutting down" : "a mail was not sent: too many are waiting");
    },
    async close(deadline) {
      closed = true;
      for (const timer of retries) clearTimeout(timer);
      const sent = async () => {
        while (sending.size > 0) await Promise.race(sending);
      };
      await untilAborted(sent(), deadline).catch(() => {}); // timed out
      const lost = retries.size + waiting.splice(0).length;
      if (lost > 0) log.warn({ mails: lost }, "mails were not sent before the end");
    },
  };
}

interface AttemptFailure {
  isPermanent: boolean;
  code: string | undefined;
  /** The server's words. Without the recipient, and never with the message: links in it are secrets. */
  reason: string;
}

/** Resolves when the server has taken the mail, else with its refusal. */
function createAttempt(settings: MailSettings): (mail: Queued) => Promise<AttemptFailure | undefined> {
  const transport = createTransport(settings);
  return async ({ to, message }) => {
    try {
      await (await transport()).sendMail({ from: settings.from, to: { name: "", address: to }, ...renderMessage(message) });
      return undefined;
    } catch (error) {
      const { code, responseCode = 0, response, message: text } = error as SmtpError;
      // Servers refuse for good with 5xx; 4xx, and no answer, can pass.
      return {
        isPermanent: responseCode >= 500,
        code,
        reason: (response ?? text).replaceAll(to, "[recipient]").replaceAll(settings.url, "SMTP_URL").slice(0, 300),
      };
    }
  };
}

/** Loaded with the first message. Each message has its own connection, so none is idle. */
function createTransport({ url }: MailSettings) {
  const load = async () => {
    const { createTransport: create } = await import("nodemailer");
    return create({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  };
  let loaded: ReturnType<typeof load> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
}
