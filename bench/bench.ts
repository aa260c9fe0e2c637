/** `npm run bench [-- --quick …]`: Tintype beside raw Chromium and the tools of its field, on the same machine in the same run. */

import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { LocalChromium } from "../scripts/stack/chromium.ts";
import { runCommand } from "../scripts/stack/command.ts";
import { throwAwayFolder } from "../scripts/stack/folders.ts";
import { interruption } from "../scripts/stack/interrupt.ts";
import { startStack } from "../scripts/stack/stack.ts";
import { type Arguments, readArguments, usage } from "./arguments.ts";
import { type Place, startAll } from "./contenders.ts";
import { describeMachine } from "./machine.ts";
import { childrenNamed } from "./measure/process-tree.ts";
import { type Reference, takeReferences } from "./measure/references.ts";
import { closingWords, type Results, readResults, sectionWords, writeDocs } from "./report/report.ts";
import { cache } from "./sections/cache.ts";
import { capture } from "./sections/capture.ts";
import { featureCosts } from "./sections/features.ts";
import { growth } from "./sections/growth.ts";
import { latency } from "./sections/latency.ts";
import { memory } from "./sections/memory.ts";
import { quality } from "./sections/quality.ts";
import { ready } from "./sections/ready.ts";
import type { Bench, Plan, Section, SectionResult } from "./sections/section.ts";
import { pages } from "./site/pages.ts";
import { type Site, startSite } from "./site.ts";

/** In this order: first those with everybody running, then those that measure each alone. */
const sections: Record<string, Section> = { capture, latency, quality, features: featureCosts, cache, memory, ready, growth };
const quickPages = ["simple", "blog", "gallery"];

const signal = interruption();
const interrupted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
interrupted.catch(() => {}); // also when nobody waits
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage.replace("SECTIONS", Object.keys(sections).join(", ")));
    return 0;
  }
  const given = readArguments(args, Object.keys(sections));
  const results = given.from === undefined ? await run(given) : await readResults(given.from);
  if (given.from !== undefined) for (const [name, section] of Object.entries(results.sections)) console.log(sectionWords(name, section));
  console.log(closingWords(results));
  if (given.writeDocs) await writeDocs(results);
  return Object.values(results.sections).every(isWhole) ? 0 : 1;
}

function planOf({ quick, rounds, pages: named }: Arguments): Plan {
  const all = named.length === pages.length;
  const chosen = pages.filter(({ name }) => (all && quick ? quickPages : named).includes(name));
  const timed = all ? chosen.filter((page) => page.timed) : chosen;
  return { quick, rounds: rounds ?? (quick ? 1 : 3), sliceMs: quick ? 800 : 1500, timedPages: timed, comparedPages: chosen };
}

async function run(given: Arguments): Promise<Results> {
  if (process.platform !== "linux") throw new Error("The benchmark reads Linux's /proc: it runs on Linux only.");
  const since = performance.now();
  const say = (words: string) => console.log(words);
  const plan = planOf(given);
  await using folder = await throwAwayFolder();
  const pictures = given.pictures === undefined ? resolve(folder.path, "pictures") : resolve(given.pictures);
  await mkdir(pictures, { recursive: true });
  const chromium = { configuredPath: process.env.PUPPETEER_EXECUTABLE_PATH ?? "", sandbox: "auto" as const };
  await using stack = await startStack({ postgres: true, redis: true, chromium, folder: folder.path, throwAway: true }, say, signal);
  await using site = await startSite(folder.path, signal);
  await using everybody = startedOnce(() => startAll(place));
  const place: Place = { stack, folder: folder.path, pictures, siteHosts: site.hosts, signal };

  let references: Promise<Map<string, Reference>> | undefined;
  const bench: Bench = {
    plan,
    place,
    site,
    everybody: async () => (await everybody.get()).contenders,
    nobody: async () => await everybody[Symbol.asyncDispose](),
    references: () => {
      references ??= referencesOf(site, plan, { chromium: stack.chromium, pictures });
      return references;
    },
    say,
  };
  const results: Results = {
    machine: describeMachine(stack.chromium, childrenNamed(["redis-server", "valkey-server"]).length > 0),
    run: { quick: plan.quick, rounds: plan.rounds, pages: plan.comparedPages.map(({ name }) => name), seconds: 0 },
    sections: {},
  };
  // After each section: a run that is stopped keeps what it has. Before the first, so that a wrong name is known at once.
  const keep = () => writeFile(given.json, JSON.stringify(results));
  await keep();
  for (const name of given.only) {
    signal.throwIfAborted();
    say(`\n${name} …`);
    const begun = performance.now();
    const section = sections[name];
    if (!section) continue;
    const result = { ...(await Promise.race([section(bench), interrupted]).catch(brokenOff)), seconds: (performance.now() - begun) / 1000 };
    results.sections[name] = result;
    results.run.seconds = (performance.now() - since) / 1000;
    say(sectionWords(name, result));
    await keep();
  }
  return results;
}

/** What a section that failed shows: nothing but why. The others go on. */
function brokenOff(error: Error): SectionResult {
  signal.throwIfAborted();
  return { tables: [], charts: [], data: null, flaws: [`broken off: ${error.message}`] };
}

/** @throws {Error} when a page asks for something that the site doesn't have: such a page is no real one. */
async function referencesOf(site: Site, { comparedPages }: Plan, { chromium, pictures }: { chromium: LocalChromium; pictures: string }) {
  const references = await takeReferences(new Map(comparedPages.map(({ name }) => [name, site.url(name, "fast")])), chromium, pictures);
  const missing = await site.missing();
  if (missing.length > 0) throw new Error(`The pages are not whole: ${missing.join(", ")}`);
  return references;
}

function isWhole({ tables }: SectionResult): boolean {
  return tables.length > 0;
}

/** Something that is started when it is first asked for, and again when it was disposed of. */
function startedOnce<T extends AsyncDisposable>(start: () => Promise<T>): AsyncDisposable & { get(): Promise<T> } {
  let started: Promise<T> | undefined;
  return {
    get() {
      started ??= start();
      return started;
    },
    async [Symbol.asyncDispose]() {
      const ending = started;
      started = undefined;
      await (await ending?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
