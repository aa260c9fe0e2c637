/** A real SMTP server in this process, which keeps what it receives. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { within } from "./eventually.ts";
import type { Scope } from "./scope.ts";

export interface ReceivedMail {
  from: string;
  to: string;
  /** Decoded, including the subject line. */
  headers: string;
  text: string;
  html: string;
}

export interface MailServer {
  /** Settings for a service that sends mail through it. */
  settings: { SMTP_URL: string; MAIL_FROM: string };
  /** All accepted mails. */
  received: ReceivedMail[];
  /** The next mail to `to` that this method has not yet returned. */
  next(to: string): Promise<ReceivedMail>;
}

/** `options` override the server's, which has neither TLS nor authentication. */
export async function startMailServer(t: Scope, options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const unread: ReceivedMail[] = [];
  let arrival = Promise.withResolvers<void>();
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    onData(stream, { envelope }, done) {
      text(stream).then((source) => {
        const mail = { from: (envelope.mailFrom || { address: "" }).address, to: envelope.rcptTo[0]?.address ?? "", ...parse(source) };
        received.push(mail);
        unread.push(mail);
        arrival.resolve();
        arrival = Promise.withResolvers();
        done();
      }, done);
    },
    ...options,
  });
  server.on("error", () => {}); // a client that disconnects
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => new Promise<void>((resolve) => server.close(resolve)));

  async function next(to: string): Promise<ReceivedMail> {
    for (;;) {
      const index = unread.findIndex((mail) => mail.to === to);
      if (index !== -1) return unread.splice(index, 1)[0] as ReceivedMail;
      await arrival.promise;
    }
  }
  const { port } = server.server.address() as AddressInfo;
  return {
    settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "Tintype <noreply@example.com>" },
    received,
    next: (to) => within(`a mail to ${to}`, next(to)),
  };
}

/** The only link in a mail's text. */
export function linkIn({ text: body }: ReceivedMail): string {
  const [link, ...others] = body.match(/https?:\/\/\S+/g) ?? [];
  if (link === undefined || others.length > 0) throw new Error(`not one link in: ${body}`);
  return link;
}

/** Parses a message with text and HTML alternatives. */
function parse(source: string): Pick<ReceivedMail, "headers" | "text" | "html"> {
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1] ?? "";
  const [headers = "", plain = "", html = ""] = source.split(`--${boundary}`).map((part) => part.trim());
  return { headers, text: contentOf(plain), html: contentOf(html) };
}

function contentOf(part: string): string {
  const at = part.indexOf("\r\n\r\n");
  const [head, body] = [part.slice(0, at), part.slice(at + 4)];
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString();
  if (!/quoted-printable/i.test(head)) return body;
  const bytes = body.replaceAll("=\r\n", "").replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
