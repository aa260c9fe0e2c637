/** `npm run bench [-- --quick …]`: compares Tintype with raw Chromium and other tools, on one machine in one run. */

import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { LocalChromium } from "../scripts/stack/chromium.ts";
import { runCommand } from "../scripts/stack/command.ts";
import { throwAwayFolder } from "../scripts/stack/folders.ts";
import { interruption } from "../scripts/stack/interrupt.ts";
import { startStack } from "../scripts/stack/stack.ts";
import { type Arguments, readArguments, usage } from "./arguments.ts";
import { type Place, startAll } from "./contenders.ts";
import { readMachine } from "./machine.ts";
import { childrenNamed } from "./measure/process-tree.ts";
import { type Reference, takeReferences } from "./measure/references.ts";
import { describeRun, describeSection, type Results, readResults, writeDocs } from "./report/report.ts";
import { cache } from "./sections/cache.ts";
import { capture } from "./sections/capture.ts";
import { featureCosts } from "./sections/features.ts";
import { growth } from "./sections/growth.ts";
import { htmlCards } from "./sections/html.ts";
import { jobQueue } from "./sections/jobs.ts";
import { latency } from "./sections/latency.ts";
import { memory } from "./sections/memory.ts";
import { outputsOfOneLoad } from "./sections/outputs.ts";
import { quality } from "./sections/quality.ts";
import { ready } from "./sections/ready.ts";
import type { Bench, Plan, Section, SectionResult } from "./sections/section.ts";
import { traceCosts } from "./sections/traces.ts";
import { pages } from "./site/pages.ts";
import { type Site, startSite } from "./site.ts";

/** In this order: first the sections that need all contenders running, then those that measure each one alone. */
const sections: Record<string, Section> = {
  capture,
  latency,
  quality,
  features: featureCosts,
  html: htmlCards,
  cache,
  memory,
  ready,
  growth,
  outputs: outputsOfOneLoad,
  jobs: jobQueue,
  traces: traceCosts,
};
const quickPages = ["simple", "blog", "gallery"];

const signal = interruption();
const interrupted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
interrupted.catch(() => {}); // it may reject before anything awaits it
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage.replace("SECTIONS", Object.keys(sections).join(", ")));
    return 0;
  }
  const given = readArguments(args, Object.keys(sections));
  const results = given.from === undefined ? await run(given) : await readResults(given.from);
  if (given.from !== undefined) for (const [name, section] of Object.entries(results.sections)) console.log(describeSection(name, section));
  console.log(describeRun(results));
  if (given.writeDocs) await writeDocs(results);
  return Object.values(results.sections).every(isComplete) ? 0 : 1;
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
  const print = (message: string) => console.log(message);
  const plan = planOf(given);
  await using folder = await throwAwayFolder();
  const pictures = given.pictures === undefined ? resolve(folder.path, "pictures") : resolve(given.pictures);
  await mkdir(pictures, { recursive: true });
  const chromium = { configuredPath: process.env.PUPPETEER_EXECUTABLE_PATH ?? "", sandbox: "auto" as const };
  await using stack = await startStack({ postgres: true, redis: true, chromium, folder: folder.path, throwAway: true }, print, signal);
  await using site = await startSite(folder.path, signal);
  await using running = startedOnce(() => startAll(place));
  const place: Place = {
    stack,
    folder: folder.path,
    pictures,
    siteHosts: site.hosts,
    signal,
    against: given.against && resolve(given.against),
    chosen: given.contenders,
  };

  let references: Promise<Map<string, Reference>> | undefined;
  const bench: Bench = {
    plan,
    place,
    site,
    allContenders: async () => (await running.get()).contenders,
    stopContenders: async () => await running[Symbol.asyncDispose](),
    references: () => {
      references ??= referencesOf(site, plan, { chromium: stack.chromium, pictures });
      return references;
    },
    print,
  };
  const results: Results = {
    machine: readMachine(stack.chromium, childrenNamed(["redis-server", "valkey-server"]).length > 0),
    run: { quick: plan.quick, rounds: plan.rounds, pages: plan.comparedPages.map(({ name }) => name), seconds: 0 },
    sections: {},
  };
  // After each section, so that an interrupted run keeps its results. Also before the first, to detect an invalid path immediately.
  const save = () => writeFile(given.json, JSON.stringify(results));
  await save();
  for (const name of given.only) {
    signal.throwIfAborted();
    print(`\n${name} …`);
    const startedAt = performance.now();
    const section = sections[name];
    if (!section) continue;
    const result = {
      ...(await Promise.race([section(bench), interrupted]).catch(failedSection)),
      seconds: (performance.now() - startedAt) / 1000,
    };
    results.sections[name] = result;
    results.run.seconds = (performance.now() - since) / 1000;
    print(describeSection(name, result));
    await save();
  }
  return results;
}

/** The result of a failed section: its error only. The other sections continue. */
function failedSection(error: Error): SectionResult {
  signal.throwIfAborted();
  return { tables: [], charts: [], data: null, flaws: [`failed: ${error.message}`] };
}

/** @throws {Error} if a page requests a file that the site lacks. */
async function referencesOf(site: Site, { comparedPages }: Plan, { chromium, pictures }: { chromium: LocalChromium; pictures: string }) {
  const references = await takeReferences(new Map(comparedPages.map(({ name }) => [name, site.url(name, "fast")])), chromium, pictures);
  const missing = await site.missing();
  if (missing.length > 0) throw new Error(`Files of the pages are missing: ${missing.join(", ")}`);
  return references;
}

function isComplete({ tables }: SectionResult): boolean {
  return tables.length > 0;
}

/** Starts on the first `get`, and again after it has been disposed. */
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
