/** Tries every way in one browser, several at once, and notes which reach their secrets. */

import type { Scope } from "../../support/scope.ts";
import type { Escapee } from "./browsers.ts";
import type { Ear } from "./multicast.ts";
import type { Outer } from "./outer.ts";
import { createSecret, type Secret, type Visit } from "./secrets.ts";
import type { Spot, Way } from "./way.ts";

export interface Outcome {
  /** How the secret was reached, if it was. */
  visitor: Visit | undefined;
  /** From the opening of the page to the visit. */
  afterMs: number;
  /** The lane refused a connection to the secret. */
  refused: boolean;
  /** Something of the way was fetched from the outer site, or nothing of it is there. */
  opened: boolean;
}

/** What the ways are tried in. */
export interface Setting {
  escapee: Escapee;
  outer: Outer;
  ear: Ear;
  /** How long a way is watched that reaches nothing. */
  watchMs: number;
}

/** An open page costs memory, a page that opens costs time too. */
const openMax = 32;
const openingMax = 8;
const openTimeoutMs = 20_000;
const disposeTimeoutMs = 5_000;

let folders = 0;

/** One outcome for each of `ways`, in their order. Secrets listen until `t` ends, and late visits are still counted until the last way is over. */
export async function tryWays(t: Scope, ways: readonly Way[], setting: Setting): Promise<Outcome[]> {
  const left = ways.entries();
  const found: (() => Outcome)[] = [];
  const gate = createGate(openingMax);
  const work = async () => {
    for (const [index, way] of left) found[index] = await tryWay(t, way, setting, gate);
  };
  await Promise.all(Array.from({ length: openMax }, work));
  return found.map((outcome) => outcome());
}

async function tryWay(t: Scope, way: Way, { escapee, outer, ear, watchMs }: Setting, gate: Gate): Promise<() => Outcome> {
  const secret = await createSecret(t);
  folders += 1;
  const folder = `way${folders}`;
  const spot = spotOf(secret, outer, folder);
  ear(folder, () => secret.visit("mdns"));
  outer.serve(folder, way.files?.(spot) ?? {});
  const { page, beganAt } = await gate(async () => {
    const beganAt = performance.now();
    const opening = escapee.open(way.start?.(spot) ?? spot.outer, way);
    const page = await within(openTimeoutMs, opening);
    if (!page) throw new Error(`The page of "${way.name}" did not open in ${openTimeoutMs} ms`);
    return { page, beganAt };
  });
  await within(watchMs, secret.visited);
  const afterMs = performance.now() - beganAt;
  await within(disposeTimeoutMs, page.dispose());
  return () => ({
    visitor: secret.visitor(),
    afterMs,
    refused: escapee.refused.has(secret.port),
    opened: way.files === undefined || outer.opened.has(folder),
  });
}

function spotOf({ port }: Secret, outer: Outer, folder: string): Spot {
  const authority = `127.0.0.1:${port}`;
  return {
    authority,
    port,
    secret: `http://${authority}/`,
    label: folder,
    outer: `http://${outer.authority}/${folder}/`,
    named: (host) => `http://${folder}.${host}:${port}/${folder}/`,
  };
}

/** What `moment` brings, or undefined when it does not come within `ms`: behind the wall most never do. */
async function within<T>(ms: number, moment: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, ms, undefined);
  try {
    return await Promise.race([moment, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `max` work at the same time, the others in the order in which they came. */
function createGate(max: number): Gate {
  const line: (() => void)[] = [];
  let free = max;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else free += 1;
    }
  };
}
