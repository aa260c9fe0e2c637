/** The session with which the page is loaded; `restore-session.ts` restores it before the other stages. */

import { sessionName } from "../../shared/storage-state.ts";
import { optionGroup } from "../option-group.ts";

export const session = optionGroup({
  title: "Session",
  onlyIfSet: true,
  intro:
    "For pages that need a sign-in: the capture starts with the cookies and storage of one of the account's sessions. [How](sessions.md)",
  parameters: () => ({
    session: sessionName.optional().meta({
      output: "load",
      valid: "the name of a session of the account",
      description:
        "Name of a session that was saved with `POST /v1/sessions`. Its cookies and storage are set before the first request, and discarded afterwards. Not available to keys that are restricted to domains.",
      examples: ["shop"],
    }),
  }),
});
