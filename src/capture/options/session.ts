/** The session that the page is loaded with; `restore-session.ts` restores it before the other stages. */

import { sessionName } from "../../shared/storage-state.ts";
import { optionGroup } from "../option-group.ts";

export const session = optionGroup({
  title: "Session",
  onlyIfSet: true,
  intro: "Pages that need a sign-in: the capture starts with the cookies and the storage of a session of the account. [How](sessions.md)",
  parameters: () => ({
    session: sessionName.optional().meta({
      output: "load",
      valid: "the name of a session of the account",
      description:
        "Name of a session that was saved with `POST /v1/sessions`. Its cookies and storage are set before the first request, and thrown away afterwards. Not for keys that are restricted to domains.",
      examples: ["shop"],
    }),
  }),
});
