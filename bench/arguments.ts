/** The benchmark's command line. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { localFolder } from "../scripts/stack/folders.ts";
import { programs } from "./contenders.ts";
import { pages } from "./site/pages.ts";

export interface Arguments {
  quick: boolean;
  only: string[];
  pages: string[];
  /** Contenders besides `raw` and `tintype`, which always are. */
  contenders: string[];
  rounds: number | undefined;
  /** File for the results. */
  json: string;
  /** Folder for the compared images. */
  pictures: string | undefined;
  writeDocs: boolean;
  /** Reads an earlier run's results instead of measuring. */
  from: string | undefined;
  /** Another checkout of Tintype to measure alongside this one. */
  against: string | undefined;
}

export const usage = `Usage: npm run bench -- [--quick] [--only=SECTION,…] [--pages=PAGE,…] [--contenders=NAME,…] [--rounds=N] [--json=FILE] [--pictures=FOLDER]
                        [--write-docs] [--from=FILE] [--against=FOLDER]

  --quick       takes a few minutes instead of twenty: three pages, one round, short turns
  --only        some of SECTIONS
  --pages       some of ${pages.map(({ name }) => name).join(", ")}
  --contenders  some of the contenders of capture, latency, quality and html; raw and tintype always are
  --rounds      number of rounds, in each of which every contender has one turn
  --json        file for all measurements, written after each section (default .local/bench.json)
  --pictures    folder to keep the reference images and the images compared with them
  --write-docs  writes the figures to docs/benchmark.md
  --from        reads the figures from a file written by --json instead of measuring
  --against     another checkout of Tintype, with its packages installed, which is measured beside this one (capture, latency, quality, html, cache,
                ready)`;

/** @throws {Error} naming the invalid argument. */
export function readArguments(args: string[], sections: string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      pages: { type: "string" },
      contenders: { type: "string" },
      rounds: { type: "string" },
      json: { type: "string", default: join(localFolder, "bench.json") },
      pictures: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      from: { type: "string" },
      against: { type: "string" },
    },
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) throw new Error("--rounds must be an integer from 1.");
  return {
    quick: values.quick,
    only: someOf("--only", values.only, sections),
    pages: someOf(
      "--pages",
      values.pages,
      pages.map(({ name }) => name),
    ),
    contenders: someOf("--contenders", values.contenders, programs),
    rounds,
    json: values.json,
    pictures: values.pictures,
    writeDocs: values["write-docs"],
    from: values.from,
    against: values.against,
  };
}

/** Returns all known values if none is named. */
function someOf(option: string, text: string | undefined, known: string[]): string[] {
  if (text === undefined) return known;
  const named = text.split(",").filter((name) => name !== "");
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0 || named.length === 0)
    throw new Error(`${option}: ${unknown.join(", ") || "nothing"} is invalid; valid are ${known.join(", ")}.`);
  return known.filter((name) => named.includes(name));
}
