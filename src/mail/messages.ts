/** The wording of all e-mails, and their layout as plain text and as HTML. Callers supply the links. */

import { escapeMarkup } from "../shared/escape-markup.ts";

export interface Message {
  /** Identifies the message in the log, which omits the recipient. */
  kind: string;
  subject: string;
  paragraphs: string[];
  action?: { label: string; url: string };
  /** Note about the message itself, for example when the link expires. */
  note?: string;
}

export function renderMessage(message: Message) {
  const { subject, paragraphs, action, note } = message;
  const text = [...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), ...(note ? [note] : [])].join("\n\n");
  return { subject, text: `${text}\n`, html: htmlOf(message) };
}

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5";

/** Styles are inline, because many e-mail clients drop style sheets. */
function htmlOf({ subject, paragraphs, action, note }: Message): string {
  const body = [
    `<h1 style="margin:0 0 16px;font-size:20px">${escapeMarkup(subject)}</h1>`,
    ...paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${escapeMarkup(paragraph)}</p>`),
    ...(action
      ? [
          `<p style="margin:24px 0"><a href="${escapeMarkup(action.url)}" style="display:inline-block;padding:10px 20px;border-radius:8px;background:#1c1917;color:#fff;text-decoration:none">${escapeMarkup(action.label)}</a></p>`,
          `<p style="margin:0 0 16px;font-size:14px;word-break:break-all">${escapeMarkup(action.url)}</p>`,
        ]
      : []),
    ...(note ? [`<p style="margin:0;font-size:14px;color:#57534e">${escapeMarkup(note)}</p>`] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f5f5f4;color:#1c1917;${font}">
<div style="max-width:512px;margin:0 auto;padding:32px;border-radius:12px;background:#fff">
${body.join("\n")}
</div>
</body>
</html>
`;
}

const linkNote = "The link works for an hour.";

/** A date and time for people in any time zone: `31 January 2030, 12:00 UTC`. */
function mailTime(time: Date): string {
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(time).replace(" at ", ", ")} UTC`;
}

export const messages = {
  confirmAddress: (url: string): Message => ({
    kind: "confirm-address",
    subject: "Confirm your e-mail address",
    paragraphs: [
      `Someone, probably you, signed up at ${hostOf(url)} with this address. To sign in, confirm it with the password you chose.`,
    ],
    action: { label: "Confirm address", url },
    note: `${linkNote} If it wasn't you, ignore this message.`,
  }),

  accountExists: (url: string): Message => ({
    kind: "account-exists",
    subject: "You already have an account",
    paragraphs: [
      `Someone, probably you, tried to sign up at ${hostOf(url)} with this address, which already has an account.`,
      "Sign in with your password, or choose a new one if you have forgotten it.",
    ],
    action: { label: "Choose a new password", url },
    note: "If it wasn't you, ignore this message: nothing has changed.",
  }),

  resetPassword: (url: string): Message => ({
    kind: "reset-password",
    subject: "Choose a new password",
    paragraphs: [
      `Someone, probably you, asked for a new password for your account at ${hostOf(url)}. Setting a new password signs you out everywhere.`,
    ],
    action: { label: "Choose a new password", url },
    note: `${linkNote} If it wasn't you, ignore this message: your password stays the same.`,
  }),

  noPassword: (url: string): Message => ({
    kind: "no-password",
    subject: "Your account has no password",
    paragraphs: [
      `Someone, probably you, asked for a new password for your account at ${hostOf(url)}. The account has none: you sign in through your identity provider.`,
    ],
    action: { label: "Sign in", url },
    note: "If it wasn't you, ignore this message.",
  }),

  invitation: (url: string, expiresAt: Date): Message => ({
    kind: "invitation",
    subject: `You are invited to ${hostOf(url)}`,
    paragraphs: [`An administrator of ${hostOf(url)}, a service that takes screenshots of websites, has invited you to create an account.`],
    action: { label: "Create account", url },
    note: `The link works once, until ${mailTime(expiresAt)}, and for this address only.`,
  }),

  quotaNearlyUsed: (url: string, { used, quota, resetsAt }: QuotaUse): Message => ({
    kind: "quota-80",
    subject: `You've used ${Math.floor((used / quota) * 100)}% of your screenshots`,
    paragraphs: [
      `You've used ${numberOf(used)} of the ${numberOf(quota)} screenshots in your plan. The count resets on ${mailTime(resetsAt)}.`,
      "Once they are used up, new screenshots are refused; cached ones are still delivered.",
    ],
    action: { label: "See your plan", url },
  }),

  quotaUsed: (url: string, { quota, resetsAt }: QuotaUse): Message => ({
    kind: "quota-100",
    subject: "You've used all your screenshots",
    paragraphs: [
      `You've used all ${numberOf(quota)} screenshots in your plan. New ones are refused until ${mailTime(resetsAt)}; cached ones are still delivered.`,
    ],
    action: { label: "See your plan", url },
  }),

  keyExpires: (url: string, { name, hint, expiresAt }: { name: string; hint: string; expiresAt: Date }): Message => ({
    kind: "key-expires",
    subject: "One of your API keys expires soon",
    paragraphs: [
      `The key “${name}” (${hint}) stops working on ${mailTime(expiresAt)}. Change its expiry, or rotate it and replace it wherever it is used.`,
    ],
    action: { label: "Open the key", url },
  }),

  /** @param plan null if unknown. */
  paymentFailed: (url: string, plan: string | null): Message => ({
    kind: "payment-failed",
    subject: "Your payment failed",
    paragraphs: [
      `We couldn't charge your card for ${plan ? `the ${plan} plan` : "your plan"}, so you are on the free plan until you update the card.`,
      "Your keys keep working, within the limits of the free plan.",
    ],
    action: { label: "Update card", url },
  }),

  webhookPaused: (url: string, { host, reason, others }: PausedWebhooks): Message => ({
    kind: "webhook-paused",
    subject: "Your webhooks are paused",
    paragraphs: [
      `Webhooks are no longer sent to your URL at ${host}. ${reason}`,
      ...(others > 0 ? [`The same applies to ${others === 1 ? "another URL" : `${numberOf(others)} other URLs`}.`] : []),
      "Once the URL works again, resume it; events missed in the meantime can be sent again.",
    ],
    action: { label: "Open webhooks", url },
  }),
};

interface PausedWebhooks {
  /** Host of the URL; the rest of the URL may be secret. */
  host: string;
  /** Why the webhooks are paused, as a sentence. */
  reason: string;
  /** Number of other paused URLs. */
  others: number;
}

interface QuotaUse {
  used: number;
  quota: number;
  /** End of the quota month. */
  resetsAt: Date;
}

const hostOf = (url: string): string => new URL(url).host;
const numberOf = (value: number): string => value.toLocaleString("en-US");
