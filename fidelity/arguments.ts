/** The suite's command line. */

import { parseArgs } from "node:util";
import type { FidelityCase } from "./case.ts";
import { cases } from "./cases.ts";

export interface Arguments {
  cases: FidelityCase[];
  peers: boolean;
  /** Number of captures of each page by Tintype. */
  repetitions: number;
}

export const usage = `Usage: npm run fidelity -- [PAGE …] [--held | --open | --all] [--no-peers] [--once]

  PAGE        pages by name, or by the beginning of their names where no page has that name; all of the chosen half unless given
  --open      the half of the pages that may be looked at while something is mended; the default
  --held      the other half
  --all       both
  --no-peers  Tintype alone
  --once      one capture of each page instead of three

Images, figures and the sheet of all pages are written to .local/fidelity.`;

/** @throws {Error} with a message for the user. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    allowNegative: true,
    options: {
      open: { type: "boolean", default: false },
      held: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      peers: { type: "boolean", default: true },
      once: { type: "boolean", default: false },
    },
  });
  const unknown = positionals.filter((start) => !cases.some(({ name }) => name.startsWith(start)));
  if (unknown.length > 0)
    throw new Error(`${unknown.join(", ")}: no page name begins with this. The pages are ${cases.map(({ name }) => name).join(", ")}.`);
  const named = positionals.length > 0;
  const names = new Set(cases.map(({ name }) => name));
  const isChosen = ({ name, held }: FidelityCase) =>
    named
      ? positionals.some((given) => (names.has(given) ? name === given : name.startsWith(given)))
      : values.all || (held ?? false) === values.held;
  return { cases: cases.filter(isChosen), peers: values.peers, repetitions: values.once ? 1 : 3 };
}
