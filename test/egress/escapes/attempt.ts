/** Tries every way in one browser, several concurrently, and records which reach their secrets. */

import type { Scope } from "../../support/scope.ts";
import type { TestedBrowser } from "./browsers.ts";
import type { MdnsListener } from "./multicast.ts";
import type { Outer } from "./outer.ts";
import { createSecret, type Secret, type Visit } from "./secrets.ts";
import type { Spot, Way } from "./way.ts";

export interface Outcome {
  /** How the secret was reached, if at all. */
  visitor: Visit | undefined;
  /** Time from opening the page to the access. */
  afterMs: number;
  /** Whether the proxy refused a connection to the secret. */
  refused: boolean;
  /** Whether a file of this way was fetched from the outer site, or it has none there. */
  opened: boolean;
}

/** The environment of the attempts. */
export interface Setting {
  browser: TestedBrowser;
  outer: Outer;
  mdns: MdnsListener;
  /** Timeout for a way that does not reach its secret. */
  watchMs: number;
}

/** An open page costs memory, opening one also costs CPU. */
const openMax = 32;
const openingMax = 8;
const openTimeoutMs = 60_000;
const disposeTimeoutMs = 5_000;

let folders = 0;

/** Outcomes in the order of `ways`. Secrets listen until `t` ends; late accesses count until the last way is done. */
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

async function tryWay(t: Scope, way: Way, { browser, outer, mdns, watchMs }: Setting, gate: Gate): Promise<() => Outcome> {
  const secret = await createSecret(t);
  folders += 1;
  const folder = `way${folders}`;
  const spot = spotOf(secret, outer, folder);
  mdns(folder, () => secret.visit("mdns"));
  outer.serve(folder, way.files?.(spot) ?? {});
  const { page, beganAt } = await gate(async () => {
    const beganAt = performance.now();
    const opening = browser.open(way.start?.(spot) ?? spot.outer, way);
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
    refused: browser.refused.has(secret.port),
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

/** The result of `work`, or undefined if it takes longer than `ms`. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, ms, undefined);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `max` jobs concurrently, first come, first served. */
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
