/** The session that the page is loaded with; `session/restore-session.ts` restores it before the other stages. */

import { z } from "zod";
import { sessionName } from "../../shared/storage-state.ts";
import { optionGroup } from "../option-group.ts";

export const session = optionGroup({
  title: "Session",
  onlyIfSet: true,
  intro:
    "For pages that need a sign-in: the capture starts with the cookies and storage of one of the account's sessions. See [Sessions](sessions.md).",
  parameters: () => ({
    session: sessionName.optional().meta({
      output: "load",
      valid: "the name of one of the account's sessions",
      description:
        "Name of a session that was saved with `POST /v1/sessions`. Its cookies and storage are restored before the first request; changes to them are discarded unless `session_update` is set. Not available to keys that are restricted to domains.",
      examples: ["shop"],
    }),
    session_update: z.boolean().default(false).meta({
      output: "load",
      identity: false,
      description:
        "After the capture, save the cookies, and the `localStorage` of the captured page's origin, to the session, unless the page is a sign-in page. Nothing is saved if the screenshot comes from the cache.",
    }),
  }),
  conflicts: ({ session, session_update, proxy }: { session?: string; session_update?: boolean; proxy?: string }) => {
    const parameter = "session_update";
    if (session_update && session === undefined) return [{ parameter, message: "requires session" }];
    const message = "can't be combined with proxy, which could change the session's cookies";
    return session_update && proxy !== undefined ? [{ parameter, message }] : [];
  },
});
