/** `session`: saves, lists, signs in and removes sessions of pages that need a sign-in. */

import type { PageSession, SessionRequest } from "../api.generated.ts";
import { type Action, requestIn, runAction } from "./action.ts";
import { exitsUsage, print, say } from "./say.ts";
import { sharedUsage } from "./service.ts";
import { printTable } from "./table.ts";

const sessionUsage = `Usage: tintype session add FILE [--name=NAME]
       tintype session list
       tintype session sign-in NAME
       tintype session remove NAME

  FILE               JSON as POST /v1/sessions takes it: name, and url, steps and
                     secrets, or state; - for standard input; docs/sessions.md
                     has examples
  --name=NAME        instead of the name in the file
  --json             a line of JSON for each session instead of a table
${sharedUsage}
${exitsUsage}`;

/** Longer than the longest capture. */
const waitSeconds = 120;

const actions: Record<string, Action> = {
  add: {
    positionals: ["FILE"],
    async run({ sessions }, file, { name }) {
      const request = await requestIn<SessionRequest>(file);
      const saved = await sessions.save({ ...request, ...(name === undefined ? {} : { name }) });
      say(`Saved, for ${saved.hosts.join(", ")}.`);
      print(saved.name);
      return undefined;
    },
  },
  list: {
    positionals: [],
    async run({ sessions }, _argument, { json }) {
      const row = ({ name, version, signed_in_at: signedIn, updated_at: updated, hosts, sign_in_error: error }: PageSession) => [
        name,
        String(version),
        signedIn ?? updated,
        hosts.join(" "),
        error ?? "",
      ];
      await printTable(sessions.list(), ["NAME", "VERSION", "SAVED", "HOSTS", "ERROR"], row, json !== undefined);
      return undefined;
    },
  },
  "sign-in": {
    positionals: ["NAME"],
    async run({ sessions }, name) {
      await sessions.signIn(name);
      say(`Signed in ${name} again.`);
      return undefined;
    },
  },
  remove: {
    positionals: ["NAME"],
    async run({ sessions }, name) {
      await sessions.remove(name);
      say(`Removed ${name}.`);
      return undefined;
    },
  },
};

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runSession(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return await runAction({ name: "session", usage: sessionUsage, actions, waitSeconds }, args, env);
}
