/** Sending mail: in the background, with a limited number of retries, and without secrets in the log. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { createMailer } from "../../src/mail/mailer.ts";
import type { Message } from "../../src/mail/messages.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { eventually } from "../support/eventually.ts";
import { startMailServer } from "../support/mail-server.ts";

const message: Message = {
  kind: "test",
  subject: "Grüße <b>",
  paragraphs: ['A "quoted" & <i>marked</i> paragraph.', "Zweiter Absatz: ä ö ü €."],
  action: { label: "Open it", url: "http://localhost:3001/open?token=s3cret-t0ken&more=1" },
  note: "The link works for an hour.",
};

function mailerOn(t: TestContext, url: string, pausesMs: number[] = []) {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino({ level: "debug" }, sink);
  const metrics = createMetrics();
  const mailer = createMailer({ url, from: "Tintype <noreply@example.com>" }, { log, metrics }, pausesMs);
  t.after(() => mailer.close(AbortSignal.timeout(10_000)));
  const count = async (result: string) => {
    await setImmediate(); // lets the mailer run
    return (await metrics.mails.get()).values.find(({ labels }) => labels.result === result)?.value ?? 0;
  };
  return { mailer, log: () => lines.join(""), count };
}

test("a mail arrives as plain text and as HTML with the same text, escaped", async (t) => {
  const server = await startMailServer(t);
  const { mailer, count } = mailerOn(t, server.settings.SMTP_URL);
  mailer.send("grace@example.com", message);
  const { from, headers, text, html } = await server.next("grace@example.com");
  assert.equal(from, "noreply@example.com");
  assert.match(headers, /^From: Tintype <noreply@example\.com>$/m);
  assert.match(headers, /^To: grace@example\.com$/m);
  assert.deepEqual(text.trim().split(/\r?\n\r?\n/), [
    'A "quoted" & <i>marked</i> paragraph.',
    "Zweiter Absatz: ä ö ü €.",
    "Open it:\r\nhttp://localhost:3001/open?token=s3cret-t0ken&more=1",
    "The link works for an hour.",
  ]);
  assert.ok(html.includes("A &quot;quoted&quot; &amp; &lt;i&gt;marked&lt;/i&gt; paragraph."));
  assert.ok(html.includes('href="http://localhost:3001/open?token=s3cret-t0ken&amp;more=1"'));
  assert.ok(!html.includes("<i>") && !html.includes("Grüße <b>"));
  await eventually("it has been counted", async () => (await count("sent")) === 1);
});

test("a temporarily refused mail is retried a limited number of times", async (t) => {
  let attempts = 0;
  const server = await startMailServer(t, {
    onRcptTo({ address }, _session, done) {
      attempts += 1;
      const isRefused = address === "never@example.com" || attempts < 3;
      done(isRefused ? Object.assign(new Error("try again later"), { responseCode: 450 }) : null);
    },
  });
  const { mailer, log, count } = mailerOn(t, server.settings.SMTP_URL, [1, 1]);
  mailer.send("grace@example.com", message);
  await server.next("grace@example.com");
  assert.equal(attempts, 3);
  await eventually("it has been counted", async () => (await count("sent")) === 1);
  assert.equal(await count("retried"), 2);

  mailer.send("never@example.com", message);
  await eventually("it has been given up", async () => (await count("failed")) === 1);
  assert.equal(attempts, 6);
  assert.match(log(), /"mail":"test","result":"failed","attempt":3.*try again later.*failed to send an e-mail/);
});

test("a permanently refused mail is not retried", async (t) => {
  let attempts = 0;
  const server = await startMailServer(t, {
    onRcptTo({ address }, _session, done) {
      attempts += 1;
      done(Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 }));
    },
  });
  const { mailer, log, count } = mailerOn(t, server.settings.SMTP_URL, [1, 1]);
  mailer.send("nobody@example.com", message);
  await eventually("it has been given up", async () => (await count("failed")) === 1);
  assert.equal(attempts, 1);
  assert.match(log(), /no mailbox \[recipient\]/);
});

test("neither recipient nor message nor the server's password is logged", async (t) => {
  const server = await startMailServer(t, {
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error("wrong user or password")),
  });
  const url = server.settings.SMTP_URL.replace("//", "//ada:pass-w0rd@");
  const { mailer, log, count } = mailerOn(t, url);
  mailer.send("grace@example.com", message);
  await eventually("it has been given up", async () => (await count("failed")) === 1);
  assert.match(log(), /wrong user or password/);
  for (const secret of ["grace@", "s3cret-t0ken", "pass-w0rd", Buffer.from("\0ada\0pass-w0rd").toString("base64")])
    assert.ok(!log().includes(secret), secret);
});

test("an invalid SMTP URL is not logged", async (t) => {
  const { mailer, log, count } = mailerOn(t, "smtp://ada:pass#w0rd@127.0.0.1:25");
  mailer.send("grace@example.com", message);
  await eventually("it has been given up", async () => (await count("failed")) === 1);
  assert.match(log(), /SMTP_URL/);
  assert.doesNotMatch(log(), /w0rd/);
});

test("a server that accepts connections but never responds doesn't block callers, nor other mails indefinitely", async (t) => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const { mailer, count } = mailerOn(t, `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}?greetingTimeout=50`);
  mailer.send("grace@example.com", message);
  await eventually("it has been given up", async () => (await count("failed")) === 1);
});

test("at most ten mails per address are queued; mails to other addresses are still sent", async (t) => {
  const held = Promise.withResolvers<void>();
  const server = await startMailServer(t, { onRcptTo: (_address, _session, done) => void held.promise.then(() => done()) });
  const { mailer, count } = mailerOn(t, server.settings.SMTP_URL);
  for (let index = 0; index < 20; index++) mailer.send("flood@example.com", message);
  mailer.send("grace@example.com", message);
  assert.equal(await count("failed"), 10);
  held.resolve();
  await eventually("the others have been sent", async () => (await count("sent")) === 11);
  mailer.send("flood@example.com", message);
  await eventually("once they have been sent, more are accepted", async () => (await count("sent")) === 12);
});

test("closing sends queued mails without retries", async (t) => {
  const server = await startMailServer(t, {
    onRcptTo({ address }, _session, done) {
      done(address === "later@example.com" ? Object.assign(new Error("later"), { responseCode: 450 }) : null);
    },
  });
  const { mailer, count } = mailerOn(t, server.settings.SMTP_URL, [600_000]);
  mailer.send("later@example.com", message);
  await eventually("it is waiting for its retry", async () => (await count("retried")) === 1);
  for (let index = 0; index < 8; index++) mailer.send(`${index}@example.com`, message);
  await mailer.close(AbortSignal.timeout(10_000));
  assert.equal(server.received.length, 8);
  assert.equal(await count("failed"), 1, "the mail that was waiting for its retry");
  mailer.send("late@example.com", message);
  assert.equal(await count("failed"), 2);
});
