/** `watch`: adds, lists and removes watches, and lists their runs. */

import type { Watch, WatchRequest, WatchRun } from "../api.generated.ts";
import { type Given, readArguments } from "./arguments.ts";
import { nearest } from "./nearest.ts";
import { watchOptions } from "./options.generated.ts";
import { exitCodes, exitsUsage, print, say, UsageError } from "./say.ts";
import { type Service, serviceOf, sharedUsage } from "./service.ts";
import { printTable } from "./table.ts";

const watchUsage = `Usage: tintype watch add URL [--every=6h | --cron="0 9 * * 1-5"] [--NAME=VALUE]...
       tintype watch list
       tintype watch runs ID
       tintype watch remove ID

  --NAME=VALUE       a member of the watch, such as --name or --webhook_url, or an
                     option of its captures; docs/watches.md lists them
  --json             a line of JSON for each watch or run instead of a table
${sharedUsage}
${exitsUsage}`;

interface Action {
  positionals: string[];
  /** Whether it accepts a watch's options. */
  takesOptions?: true;
  run(tintype: Service["tintype"], argument: string, given: Given): Promise<void>;
}

const waitSeconds = 60;

const actions: Record<string, Action> = {
  add: {
    positionals: ["URL"],
    takesOptions: true,
    async run({ watches }, url, { options }) {
      const { id, name, next_run_at: next } = await watches.create({ ...options, url } as WatchRequest);
      say(`Watching ${name}; the first run is ${next === null ? "when it is resumed" : `at ${next}`}.`);
      print(id);
    },
  },
  list: {
    positionals: [],
    async run({ watches }, _argument, { own }) {
      const row = ({ id, state, status, every, cron, url }: Watch) => [id, state, status, every ?? cron ?? "", url];
      await printTable(watches.list(), ["ID", "STATE", "STATUS", "EVERY", "URL"], row, own.json !== undefined);
    },
  },
  runs: {
    positionals: ["ID"],
    async run({ watches }, id, { own }) {
      const row = ({ id: run, status, created_at: at, changed_share: share, regions, error }: WatchRun) => [
        run,
        status,
        at,
        share === null ? "" : `${(share * 100).toFixed(2)} %`,
        error?.message ?? regions.map((region) => region.name).join("; "),
      ];
      await printTable(watches.runs(id), ["ID", "STATUS", "CREATED", "CHANGED", "WHAT"], row, own.json !== undefined);
    },
  },
  remove: {
    positionals: ["ID"],
    async run({ watches }, id) {
      await watches.remove(id);
      say(`Removed ${id}.`);
    },
  },
};

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runWatch(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const given = readArguments(action ? rest : args, { json: false }, action && !action.takesOptions ? {} : watchOptions);
  if (given.own.help !== undefined) {
    print(watchUsage.trimEnd());
    return exitCodes.done;
  }
  if (!action) {
    const near = nearest(name, Object.keys(actions));
    throw new UsageError(`Give add, list, runs or remove${name === "" ? "" : `, not ${name}${near ? ` (did you mean ${near}?)` : ""}`}.`);
  }
  const { positionals } = given;
  if (positionals.length < action.positionals.length) throw new UsageError(`Missing: ${action.positionals.join(", ")}.`);
  if (positionals.length > action.positionals.length) throw new UsageError("Too many arguments.");
  if (action.positionals[0] === "ID" && !/^[\w-]+$/.test(positionals[0] ?? ""))
    throw new UsageError(`An ID is as \`tintype watch list\` prints it, not ${JSON.stringify(positionals[0])}.`);
  await action.run((await serviceOf(given.own, env, waitSeconds)).tintype, positionals[0] ?? "", given);
  return exitCodes.done;
}
