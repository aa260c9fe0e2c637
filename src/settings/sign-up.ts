/** Settings for sign-up and sign-in. */

import { z } from "zod";
import { optionalText } from "./types.ts";

const domain = "@?[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)+";

export const signUpSettings = {
  SIGN_UP: z.enum(["open", "invite", "closed"]).default("invite").meta({
    description:
      "Who can sign up: anyone, only people who were invited by an administrator, or no one. Accounts can always be created on the command line; `npm run local` sets `open`.",
  }),
  SIGN_UP_DOMAINS: optionalText(new RegExp(`^(\\s*${domain}\\s*(,\\s*${domain}\\s*)*)?$`)).meta({
    valid: "comma-separated domains, such as example.com",
    description:
      "Comma-separated domains whose e-mail addresses may sign up without an invitation while `SIGN_UP` is `invite`. The address must be verified: by the identity provider or, with `SMTP_URL`, by e-mail. Without e-mail, addresses of sign-ups with a password are not verified.",
    example: "example.com",
  }),
  REQUIRE_SECOND_FACTOR: z.enum(["nobody", "administrators", "everyone"]).default("nobody").meta({
    description:
      "Who must have an authenticator app as a second factor to use the dashboard. People without a password sign in through the identity provider, whose rules apply instead. API keys are not affected.",
  }),
};
