/** One layout for all e-mails: as plain text and as HTML. */

import { escapeMarkup } from "../shared/escape-markup.ts";

export interface Message {
  /** Identifies the message in the log and metrics, without the recipient. */
  kind: string;
  subject: string;
  paragraphs: string[];
  action?: { label: string; url: string };
  /** Note about the message itself, such as when the link expires. */
  note?: string;
}

export function renderMessage(message: Message) {
  const { subject, paragraphs, action, note } = message;
  const text = [...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), ...(note ? [note] : [])].join("\n\n");
  return { subject, text: `${text}\n`, html: htmlOf(message) };
}

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5";

/** Styles are inline and colors have enough contrast on white: many mail programs drop style sheets. */
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
