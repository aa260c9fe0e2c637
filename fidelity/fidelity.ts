/** `npm run fidelity`: full-page screenshots of pages made with third-party libraries, compared with real scrolling. */

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Place, type RunningContender, startProgram, startTintype } from "../bench/contenders.ts";
import { median } from "../bench/measure/statistics.ts";
import { runCommand } from "../scripts/stack/command.ts";
import { localFolder, root, throwAwayFolder } from "../scripts/stack/folders.ts";
import { interruption } from "../scripts/stack/interrupt.ts";
import { startStack } from "../scripts/stack/stack.ts";
import { readArguments, usage } from "./arguments.ts";
import { areIdentical, type Capture, capture } from "./captures.ts";
import type { FidelityCase } from "./case.ts";
import { cases } from "./cases.ts";
import { openReferences, type Reference, type References } from "./references.ts";
import { type PageResult, resultOf, summary, table } from "./report.ts";
import { drawSheet, writeSheetPage } from "./sheet.ts";
import { generateSites } from "./site/generate.ts";
import { type Site, startSite } from "./site/server.ts";

const peers = ["playwright", "puppeteer-cluster", "browserless", "capture-website"];
/** Number of references made concurrently. */
const visitedAtOnce = 5;
const output = join(localFolder, "fidelity");
const images = join(output, "images");

const signal = interruption();
await runCommand(main, signal);

interface Parts {
  site: Site;
  references: References;
  tintype: RunningContender;
  peers: RunningContender[];
  repetitions: number;
}

async function main(args: string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const given = readArguments(args);
  const log = (message: string) => console.log(message);
  await mkdir(images, { recursive: true });
  const stamp = createHash("sha256")
    .update(await readFile(join(root, "fidelity/package-lock.json")))
    .update(await readFile(join(root, "fidelity/site/generate.ts")));
  const sites = join(output, "sites");
  await generateSites(sites, stamp.digest("hex"), log, signal);
  await using folder = await throwAwayFolder();
  await using site = await startSite(cases, sites);
  const chromium = { configuredPath: process.env.PUPPETEER_EXECUTABLE_PATH ?? "", sandbox: "auto" as const };
  await using stack = await startStack({ postgres: true, redis: true, chromium, folder: folder.path, throwAway: true }, log, signal);
  const place: Place = { stack, folder: folder.path, pictures: images, siteHosts: [site.host], signal };
  await using running = new AsyncDisposableStack();
  const start = async (contender: Promise<RunningContender>) => {
    const started = await contender;
    running.defer(() => started.stop());
    return started;
  };
  const references = running.use(await openReferences(stack.chromium, join(output, "references")));
  const tintype = await start(startTintype(place));
  const started: RunningContender[] = [];
  if (given.peers) for (const name of peers) started.push(await start(startProgram(name, place)));

  const failures = await prepare(given.cases, site, references, log);
  const results: PageResult[] = [];
  for (const one of given.cases) {
    signal.throwIfAborted();
    const failure = failures.get(one.name);
    const result = failure
      ? resultOf(one, { failure })
      : await measure(one, { site, references, tintype, peers: started, repetitions: given.repetitions });
    results.push(result);
    log(table([result], { heading: results.length === 1 }));
    await writeFile(join(output, "results.json"), JSON.stringify(results, undefined, 1));
  }
  log(`\n${table(results, { heading: true })}\n\n${summary(results)}\n`);
  const sheet = await writeSheetPage(output, results);
  log(`${relative(root, sheet)}: all images; ${relative(root, join(output, "results.json"))}: all figures`);
  return results.every(({ failure }) => failure === undefined) ? 0 : 1;
}

/** Makes missing references concurrently, because this mostly consists of waiting. Returns the reasons for failures, by page. */
async function prepare(chosen: FidelityCase[], site: Site, references: References, log: (message: string) => void) {
  const failures = new Map<string, string>();
  const left = [...chosen];
  await Promise.all(
    Array.from({ length: visitedAtOnce }, async () => {
      for (let one = left.shift(); one !== undefined && !signal.aborted; one = left.shift()) {
        const { name } = one;
        await references.make(one, site.url(one), log).catch((error: Error) => {
          failures.set(name, `no reference: ${error.message}`);
          log(`${name}: ${failures.get(name)}`);
        });
      }
    }),
  );
  return failures;
}

async function measure(one: FidelityCase, { site, references, tintype, peers: others, repetitions }: Parts): Promise<PageResult> {
  const url = site.url(one);
  const reference = await references.of(one);
  const own: Capture[] = [];
  for (let shot = 0; shot < repetitions; shot += 1) own.push(await capture(tintype, one, url, reference));
  const theirs: Capture[] = [];
  if (!one.options) for (const peer of others) theirs.push(await capture(peer, one, url, reference));
  const notes = [...site.missing(one).map((path) => `missing: ${path}`), ...references.elsewhere(one).map((host) => `requests ${host}`)];
  await keep(one, reference, own, theirs);
  return resultOf(one, { own, theirs, seconds: median(own.map(({ seconds }) => seconds)), identical: areIdentical(own), notes });
}

/** Files of all images, and the page's strip for the sheet. */
async function keep(one: FidelityCase, reference: Reference, own: Capture[], theirs: Capture[]): Promise<void> {
  await writeFile(join(images, `${one.name}-reference.png`), reference.png);
  for (const [index, { png }] of own.entries()) if (png) await writeFile(join(images, `${one.name}-tintype-${index + 1}.png`), png);
  for (const { contender, png } of theirs) if (png) await writeFile(join(images, `${one.name}-${contender}.png`), png);
  await drawSheet(images, one, reference, own[0], theirs);
}
