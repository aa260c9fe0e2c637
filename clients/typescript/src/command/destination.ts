/** `destination`: saves, lists, tests and removes buckets to which screenshots are copied. */

import type { Destination, DestinationRequest } from "../api.generated.ts";
import { type Action, requestIn, runAction } from "./action.ts";
import { exitCodes, exitsUsage, print, say } from "./say.ts";
import { sharedUsage } from "./service.ts";
import { printTable } from "./table.ts";

const destinationUsage = `Usage: tintype destination add FILE [--name=NAME]
       tintype destination list
       tintype destination test NAME
       tintype destination remove NAME

  FILE               JSON as POST /v1/destinations takes it: name, endpoint, bucket
                     and an access key; - for standard input;
                     docs/destinations.md has an example
  --name=NAME        instead of the name in the file
  --json             a line of JSON for each destination instead of a table
${sharedUsage}
${exitsUsage}`;

/** Longer than a test. */
const waitSeconds = 90;

const actions: Record<string, Action> = {
  add: {
    positionals: ["FILE"],
    async run({ destinations }, file, { name }) {
      const request = await requestIn<DestinationRequest>(file);
      const saved = await destinations.save({ ...request, ...(name === undefined ? {} : { name }) });
      say(`Saved, for ${saved.bucket} at ${saved.endpoint}.`);
      print(saved.name);
      return undefined;
    },
  },
  list: {
    positionals: [],
    async run({ destinations }, _argument, { json }) {
      const row = ({ name, bucket, endpoint, copied_at: copied, error }: Destination) => [
        name,
        bucket,
        endpoint,
        copied ?? "",
        error ?? "",
      ];
      await printTable(await destinations.list(), ["NAME", "BUCKET", "ENDPOINT", "COPIED", "ERROR"], row, json !== undefined);
      return undefined;
    },
  },
  test: {
    positionals: ["NAME"],
    async run({ destinations }, name) {
      const { works, problem } = await destinations.test(name);
      say(problem ?? "It works: an object was written and deleted.");
      return works ? exitCodes.done : exitCodes.failed;
    },
  },
  remove: {
    positionals: ["NAME"],
    async run({ destinations }, name) {
      await destinations.remove(name);
      say(`Removed ${name}.`);
      return undefined;
    },
  },
};

/** @param args the arguments after the command's name. @returns the exit code. */
export async function runDestination(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return await runAction({ name: "destination", usage: destinationUsage, actions, waitSeconds }, args, env);
}
