/** `session`: saves, lists, signs in and removes sessions of pages that need a sign-in. */

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { PageSession, SessionRequest } from "../api.generated.ts";
import { readArguments } from "./arguments.ts";
import { nearest } from "./nearest.ts";
import { exitCodes, exitsUsage, print, say, UsageError } from "./say.ts";
import { type Service, serviceOf, sharedUsage } from "./service.ts";
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

interface Action {
  positionals: string[];
  run(tintype: Service["tintype"], argument: string, own: Record<string, string>): Promise<void>;
}

/** Longer than the longest capture. */
const waitSeconds = 120;

const actions: Record<string, Action> = {
  add: {
    positionals: ["FILE"],
    async run({ sessions }, file, { name }) {
      const request = await requestIn(file);
      const saved = await sessions.save({ ...request, ...(name === undefined ? {} : { name }) });
      say(`Saved, for ${saved.hosts.join(", ")}.`);
      print(saved.name);
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
    },
  },
  "sign-in": {
    positionals: ["NAME"],
    async run({ sessions }, name) {
      await sessions.signIn(name);
      say(`Signed in ${name} again.`);
    },
  },
  remove: {
    positionals: ["NAME"],
    async run({ sessions }, name) {
      await sessions.remove(name);
      say(`Removed ${name}.`);
    },
  },
};

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runSession(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [first = "", ...rest] = args;
  const action = Object.hasOwn(actions, first) ? actions[first] : undefined;
  const { own, positionals } = readArguments(action ? rest : args, { json: false, name: true });
  if (own.help !== undefined) {
    print(sessionUsage.trimEnd());
    return exitCodes.done;
  }
  if (!action) {
    const near = nearest(first, Object.keys(actions));
    throw new UsageError(
      `Give add, list, sign-in or remove${first === "" ? "" : `, not ${first}${near ? ` (did you mean ${near}?)` : ""}`}.`,
    );
  }
  if (positionals.length < action.positionals.length) throw new UsageError(`Missing: ${action.positionals.join(", ")}.`);
  if (positionals.length > action.positionals.length) throw new UsageError("Too many arguments.");
  if (action.positionals[0] === "NAME" && !/^[\w-]+$/.test(positionals[0] ?? ""))
    throw new UsageError(`A NAME is as \`tintype session list\` prints it, not ${JSON.stringify(positionals[0])}.`);
  await action.run((await serviceOf(own, env, waitSeconds)).tintype, positionals[0] ?? "", own);
  return exitCodes.done;
}

/** No message quotes the file, which has secrets. @throws {UsageError} */
async function requestIn(file: string): Promise<SessionRequest> {
  let content: string;
  try {
    content = file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`The file can't be read: ${(error as Error).message}.`);
  }
  try {
    const request: unknown = JSON.parse(content);
    if (typeof request === "object" && request !== null && !Array.isArray(request)) return request as SessionRequest;
  } catch {}
  throw new UsageError(`${file === "-" ? "Standard input" : file} is not a JSON object.`);
}
