/** The benchmark's command line. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { localFolder } from "../scripts/stack/folders.ts";
import { pages } from "./site/pages.ts";

export interface Arguments {
  quick: boolean;
  only: string[];
  pages: string[];
  rounds: number | undefined;
  /** Where results are written. */
  json: string;
  /** Where pictures are kept. */
  pictures: string | undefined;
  writeDocs: boolean;
  /** Results of an earlier run, instead of a new one. */
  from: string | undefined;
}

export const usage = `Usage: npm run bench -- [--quick] [--only=SECTION,…] [--pages=PAGE,…] [--rounds=N] [--json=FILE] [--pictures=FOLDER]
                        [--write-docs] [--from=FILE]

  --quick       a few minutes instead of twenty: three pages, one round, short turns
  --only        some of SECTIONS
  --pages       some of ${pages.map(({ name }) => name).join(", ")}
  --rounds      how often everybody has a turn
  --json        where every measurement is written, section by section; .local/bench.json unless set
  --pictures    keeps the references and the pictures that were compared with them
  --write-docs  puts the figures into docs/benchmark.md
  --from        reads the figures from a file that --json wrote, and measures nothing`;

/** @throws {Error} with a sentence for a person. */
export function readArguments(args: string[], sections: string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      pages: { type: "string" },
      rounds: { type: "string" },
      json: { type: "string", default: join(localFolder, "bench.json") },
      pictures: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      from: { type: "string" },
    },
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) throw new Error("--rounds is an integer from 1.");
  return {
    quick: values.quick,
    only: someOf("--only", values.only, sections),
    pages: someOf(
      "--pages",
      values.pages,
      pages.map(({ name }) => name),
    ),
    rounds,
    json: values.json,
    pictures: values.pictures,
    writeDocs: values["write-docs"],
    from: values.from,
  };
}

/** All of them where none is named. */
function someOf(option: string, text: string | undefined, known: string[]): string[] {
  if (text === undefined) return known;
  const named = text.split(",").filter((name) => name !== "");
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0 || named.length === 0)
    throw new Error(`${option}: ${unknown.join(", ") || "nothing"} is not one of ${known.join(", ")}.`);
  return known.filter((name) => named.includes(name));
}
