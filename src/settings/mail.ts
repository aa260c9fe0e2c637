/** Settings for outgoing mail. */

import { z } from "zod";
import { optionalText } from "./types.ts";

export const mailSettings = {
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s]+$/)
    .optional()
    .meta({
      secret: true,
      valid: "a URL that begins with smtp:// or smtps://",
      description:
        "Mail server, as `smtps://user:password@host:465`, or `smtp://user:password@host:587?requireTLS=true` for STARTTLS. If empty, no e-mail is sent: addresses are not verified, and passwords can only be reset on the command line.",
      example: "smtp://user:password@mail.example.com:587?requireTLS=true",
    }),
  MAIL_FROM: optionalText(/^([^<>@\s][^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)?$/).meta({
    valid: "an e-mail address, or a name and an address, such as Tintype <noreply@example.com>",
    description: "Sender of e-mails; required with `SMTP_URL`.",
    example: "Tintype <noreply@example.com>",
  }),
};
