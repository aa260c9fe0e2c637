/** Computes the figures of pages, and prints their table. */

import { median } from "../bench/measure/statistics.ts";
import type { Capture } from "./captures.ts";
import type { FidelityCase } from "./case.ts";

export interface Figure {
  contender: string;
  /** Share of the reference's blocks that look the same, 0 to 1; undefined if there is no screenshot. */
  share: number | undefined;
  /** Blocks that show something where the reference shows nothing. */
  extra: number | undefined;
  /** Share of the unstable blocks that show nothing, 0 to 1. */
  holes: number | undefined;
  /** Pixels. */
  tallerBy: number | undefined;
  widerBy: number | undefined;
  seconds: number;
  warnings: string | undefined;
  failure: string | undefined;
}

export interface PageResult {
  name: string;
  about: string;
  held: boolean;
  /** Why the page has no figures. */
  failure: string | undefined;
  /** Blocks that count, and unstable blocks that don't. */
  counted: number;
  tintype: Figure | undefined;
  /** Whether Tintype's captures are all identical. */
  identical: boolean | undefined;
  peers: Figure[];
  /** Notes about the page itself. */
  notes: string[];
}

export interface Measured {
  own?: Capture[];
  theirs?: Capture[];
  /** Tintype's median. */
  seconds?: number;
  identical?: boolean;
  notes?: string[];
  failure?: string;
}

export function resultOf(one: FidelityCase, { own = [], theirs = [], seconds, identical, notes = [], failure }: Measured): PageResult {
  const worst = own.toSorted((a, b) => (a.comparison?.share ?? 0) - (b.comparison?.share ?? 0))[0];
  return {
    name: one.name,
    about: one.about,
    held: one.held ?? false,
    failure,
    counted: worst?.comparison?.counted ?? 0,
    tintype: worst && { ...figureOf(worst), seconds: seconds ?? worst.seconds },
    identical,
    peers: theirs.map(figureOf),
    notes,
  };
}

function figureOf({ contender, comparison, seconds, warnings, failure }: Capture): Figure {
  return {
    contender,
    share: comparison?.share,
    extra: comparison?.extra.size,
    holes: comparison?.holes,
    tallerBy: comparison?.tallerBy,
    widerBy: comparison?.widerBy,
    seconds,
    warnings,
    failure,
  };
}

/** The peer with the highest share. */
export function bestPeer({ peers }: PageResult): Figure | undefined {
  return peers.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0))[0];
}

/** Minimum share of a correct page. */
const rightShare = 0.99;

/** For each contender: the number of correct pages, mean share and median time; and the pages on which Tintype is behind a peer. */
export function summary(results: PageResult[]): string {
  const compared = results.filter(({ peers }) => peers.length > 0);
  const names = ["tintype", ...new Set(compared.flatMap(({ peers }) => peers.map(({ contender }) => contender)))];
  const lines = names.map((name) => {
    const figures = results.flatMap(({ tintype, peers }) => [tintype, ...peers].filter((one) => one?.contender === name));
    const shares = figures.map((one) => one?.share ?? 0);
    const right = shares.filter((share) => share >= rightShare).length;
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const seconds = median(figures.map((one) => one?.seconds ?? 0)).toFixed(1);
    return `${name.padEnd(18)} ${right} of ${shares.length} pages right, mean ${percent(mean)} %, median ${seconds} s`;
  });
  const behind = compared.filter((result) => (result.tintype?.share ?? 0) < (bestPeer(result)?.share ?? 0) - 0.005);
  const different = results.filter(({ identical }) => identical === false);
  const list = (some: PageResult[]) => `${some.length}${some.length > 0 ? `: ${some.map(({ name }) => name).join(", ")}` : ""}`;
  return [...lines, `behind a peer on ${list(behind)}`, `different each time on ${list(different)}`].join("\n");
}

const columns = [24, 8, 6, 7, 7, 6, 6, 34, 0];

/** A line per page: the lowest share of Tintype's captures, and the best peer's. */
export function table(results: PageResult[], { heading }: { heading: boolean }): string {
  const lines = results.map((result) => line(rowOf(result)));
  return [
    ...(heading ? [line(["page", "share %", "extra", "holes %", "height", "s", "same", "best peer (%, s)", "remarks"])] : []),
    ...lines,
  ].join("\n");
}

function rowOf(result: PageResult): string[] {
  const { name, failure, tintype, identical, notes } = result;
  if (failure !== undefined || !tintype) return [name, "-", "", "", "", "", "", failure ?? ""];
  const best = bestPeer(result);
  return [
    name,
    percent(tintype.share),
    String(tintype.extra ?? ""),
    tintype.holes ? percent(tintype.holes) : "",
    signed(tintype.tallerBy),
    tintype.seconds.toFixed(1),
    identical ? "yes" : "NO",
    best ? `${best.contender} ${percent(best.share)}, ${best.seconds.toFixed(1)}` : "",
    [tintype.failure, tintype.widerBy ? `${tintype.widerBy} pixels wider` : "", tintype.warnings, ...notes].filter(Boolean).join("; "),
  ];
}

function line(cells: string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(columns[index] ?? 0))
    .join(" ")
    .trimEnd();
}

export function percent(share: number | undefined): string {
  return share === undefined ? "-" : (Math.floor(share * 1000) / 10).toFixed(1);
}

function signed(pixels: number | undefined): string {
  if (pixels === undefined || pixels === 0) return "";
  return pixels > 0 ? `+${pixels}` : String(pixels);
}
