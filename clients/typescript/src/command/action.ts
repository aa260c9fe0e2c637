/** Commands that consist of actions on what the service saves under a name: sessions and destinations. */

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { readArguments } from "./arguments.ts";
import { nearest } from "./nearest.ts";
import { exitCodes, print, UsageError } from "./say.ts";
import { type Service, serviceOf } from "./service.ts";

export interface Action {
  positionals: string[];
  /** @returns the exit code, if it is not 0. */
  run(tintype: Service["tintype"], argument: string, own: Record<string, string>): Promise<number | undefined>;
}

interface Command {
  name: string;
  usage: string;
  actions: Record<string, Action>;
  /** Time for the service to answer. */
  waitSeconds: number;
}

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runAction({ name, usage, actions, waitSeconds }: Command, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [first = "", ...rest] = args;
  const action = Object.hasOwn(actions, first) ? actions[first] : undefined;
  const { own, positionals } = readArguments(action ? rest : args, { json: false, name: true });
  if (own.help !== undefined) {
    print(usage.trimEnd());
    return exitCodes.done;
  }
  if (!action) {
    const names = Object.keys(actions);
    const near = nearest(first, names);
    const given = first === "" ? "" : `, not ${first}${near ? ` (did you mean ${near}?)` : ""}`;
    throw new UsageError(`Give ${names.slice(0, -1).join(", ")} or ${names.at(-1)}${given}.`);
  }
  if (positionals.length < action.positionals.length) throw new UsageError(`Missing: ${action.positionals.join(", ")}.`);
  if (positionals.length > action.positionals.length) throw new UsageError("Too many arguments.");
  if (action.positionals[0] === "NAME" && !/^[\w-]+$/.test(positionals[0] ?? ""))
    throw new UsageError(`A NAME is as \`tintype ${name} list\` prints it, not ${JSON.stringify(positionals[0])}.`);
  return (await action.run((await serviceOf(own, env, waitSeconds)).tintype, positionals[0] ?? "", own)) ?? exitCodes.done;
}

/** The JSON in a file. No message quotes it, because it has secrets. @throws {UsageError} */
export async function requestIn<Request>(file: string): Promise<Request> {
  let content: string;
  try {
    content = file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`The file can't be read: ${(error as Error).message}.`);
  }
  try {
    const request: unknown = JSON.parse(content);
    if (typeof request === "object" && request !== null && !Array.isArray(request)) return request as Request;
  } catch {}
  throw new UsageError(`${file === "-" ? "Standard input" : file} is not a JSON object.`);
}
