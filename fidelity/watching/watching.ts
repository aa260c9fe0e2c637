/** `npm run watching`: watches third-party pages that stay the same, are changed, or differ on each visit. */

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { asOtherAccount, type Place, type RunningContender, startTintype } from "../../bench/contenders.ts";
import { runCommand } from "../../scripts/stack/command.ts";
import { localFolder, root, throwAwayFolder } from "../../scripts/stack/folders.ts";
import { interruption } from "../../scripts/stack/interrupt.ts";
import { startStack } from "../../scripts/stack/stack.ts";
import type { FidelityCase } from "../case.ts";
import { generateSites } from "../site/generate.ts";
import { type Site, startSite } from "../site/server.ts";
import { changes, type SeededChange, seed } from "./changes.ts";
import { type NoisyPage, noisyPages } from "./noise.ts";
import { ordinaryPages, pageNamed } from "./pages.ts";
import { createWatch, type Run } from "./service.ts";

const usage = `Usage: npm run watching -- [PAGE …] [--unchanged | --changes | --noise] [--runs NUMBER]

  PAGE         pages by name; all unless given
  --unchanged  only pages that stay as they are: no alarm may come
  --changes    only seeded changes: each has to be found and named
  --noise      only pages that differ at each visit: no alarm may come after learning, and a change has to be found
  --runs       of each page that stays as it is; 20 by default

Results and the images of what went wrong are written to .local/watching.`;

const learningRuns = 3;
const noisyRuns = 12;
const watchedAtOnce = 3;
/** The expected region must be among this many first regions. */
const firstRegions = 3;
const output = join(localFolder, "watching");
const signal = interruption();
await runCommand(main, signal);

interface Result {
  part: "unchanged" | "changes" | "noise";
  page: string;
  about: string;
  runs: number;
  /** What went wrong; empty if nothing did. */
  problems: string[];
  /** The regions of the run after the change, if there was a change. */
  regions: { kind: string; name: string }[];
}

interface Parts {
  site: Site;
  /** Everything that the site serves; pages are added. */
  served: FidelityCase[];
  tintype: RunningContender;
}

async function main(args: string[]): Promise<number> {
  const options = {
    unchanged: { type: "boolean" },
    changes: { type: "boolean" },
    noise: { type: "boolean" },
    help: { type: "boolean" },
    runs: { type: "string", default: "20" },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const log = (message: string) => console.log(message);
  const isAll = !values.unchanged && !values.changes && !values.noise;
  const isChosen = (name: string) => positionals.length === 0 || positionals.includes(name);
  await mkdir(output, { recursive: true });
  const sites = join(localFolder, "fidelity", "sites");
  await generateSites(sites, await stampOfSites(), log, signal);
  await using folder = await throwAwayFolder();
  const served: FidelityCase[] = [];
  await using site = await startSite(served, sites);
  const chromium = { configuredPath: process.env.PUPPETEER_EXECUTABLE_PATH ?? "", sandbox: "auto" as const };
  await using stack = await startStack({ postgres: true, redis: true, chromium, folder: folder.path, throwAway: true }, log, signal);
  await using running = new AsyncDisposableStack();
  const place: Place = { stack, folder: folder.path, pictures: output, siteHosts: [site.host], signal };
  const started = await startTintype(place);
  running.defer(() => started.stop());
  const tintype = await asOtherAccount(started, place); // the benchmark's key is restricted to pages, and such keys can't use watches

  const parts: Parts = { site, served, tintype };
  const work: (() => Promise<Result>)[] = [];
  if (isAll || values.changes) for (const one of changes) if (isChosen(one.page)) work.push(() => watchChange(one, parts));
  if (isAll || values.noise) for (const one of noisyPages) if (isChosen(one.page)) work.push(() => watchNoise(one, parts));
  if (isAll || values.unchanged)
    for (const one of ordinaryPages) if (isChosen(one.name)) work.push(() => watchUnchanged(one, Number(values.runs), parts));
  const results: Result[] = [];
  await Promise.all(
    Array.from({ length: watchedAtOnce }, async () => {
      for (let next = work.shift(); next && !signal.aborted; next = work.shift()) {
        const result = await next();
        results.push(result);
        log(lineOf(result));
        await writeFile(join(output, "results.json"), JSON.stringify(results, undefined, 1));
      }
    }),
  );
  log(`\n${summary(results)}\n\n${relative(root, join(output, "results.json"))}: all regions`);
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

async function stampOfSites(): Promise<string> {
  const stamp = createHash("sha256")
    .update(await readFile(join(root, "fidelity/package-lock.json")))
    .update(await readFile(join(root, "fidelity/site/generate.ts")));
  return stamp.digest("hex");
}

/** A separate page for each watch, whose changes can be set. */
function serve(page: FidelityCase, label: string, { site, served }: Parts) {
  const one: FidelityCase = { ...page, name: `${page.name}-${label}-${served.length}` };
  served.push(one);
  return { one, url: site.url(one) };
}

async function watchUnchanged(page: FidelityCase, runs: number, parts: Parts): Promise<Result> {
  const { url } = serve(page, "unchanged", parts);
  return await judge({ part: "unchanged", page: page.name, about: "", runs }, async (problems) => {
    const watch = await createWatch(parts.tintype, url);
    for (let run = 1; run <= runs; run += 1) await expectQuiet(await watch.run(), `run ${run}`, page.name, problems);
    const muted = await watch.muted();
    if (muted.length > 0) problems.push(`learned although nothing differs: ${muted.map(({ name }) => name).join(" · ")}`);
    return undefined;
  });
}

async function watchChange(change: SeededChange, parts: Parts): Promise<Result> {
  const { one, url } = serve(pageNamed(change.page), "change", parts);
  return await judge({ part: "changes", page: change.page, about: change.about, runs: learningRuns + 3 }, async (problems) => {
    const watch = await createWatch(parts.tintype, url);
    for (let run = 1; run <= learningRuns; run += 1) await expectQuiet(await watch.run(), `run ${run}`, one.name, problems);
    one.change = (html) => seed(change, html);
    const run = await watch.run();
    await expectNamed(run, change, one.name, problems);
    await expectQuiet(await watch.run(), "the run after the change", one.name, problems);
    await watch.accept();
    await expectQuiet(await watch.run(), "the run after it was accepted", one.name, problems);
    return run;
  });
}

async function watchNoise({ page, about, noise, change: seeded }: NoisyPage, parts: Parts): Promise<Result> {
  const { one, url } = serve(pageNamed(page), "noise", parts);
  let visit = 0;
  const noisy = (html: string) => {
    visit += 1;
    if (noise && !noise.from.test(html)) throw new Error(`${page}: ${noise.from} doesn't match`);
    return noise ? html.replace(noise.from, noise.to(visit)) : html;
  };
  one.change = noisy;
  return await judge({ part: "noise", page, about, runs: learningRuns + noisyRuns + 1 }, async (problems) => {
    const watch = await createWatch(parts.tintype, url);
    for (let run = 1; run <= learningRuns + noisyRuns; run += 1) await expectQuiet(await watch.run(), `run ${run}`, one.name, problems);
    const change = { page, about, ...seeded };
    one.change = (html) => noisy(seed(change, html));
    const run = await watch.run();
    await expectNamed(run, change, one.name, problems);
    if (problems.length > 0) problems.push(`left out: ${(await watch.muted()).map(({ name }) => name).join(" · ")}`);
    return run;
  });
}

async function judge(
  facts: Omit<Result, "problems" | "regions">,
  watch: (problems: string[]) => Promise<Run | undefined>,
): Promise<Result> {
  const problems: string[] = [];
  const run = await watch(problems).catch((error: Error) => void problems.push(error.message));
  return { ...facts, problems, regions: run?.regions ?? [] };
}

async function expectQuiet(run: Run, which: string, name: string, problems: string[]): Promise<void> {
  if (!run.reported && run.status !== "failed") return;
  const why = run.error?.message ?? run.regions.map((region) => region.name).join(" · ");
  problems.push(`${which} is ${run.status}: ${why}`);
  await keepImages(run, `${name}-${which.replaceAll(" ", "-")}`);
}

async function expectNamed(
  run: Run,
  { named, regionsMax = 3 }: Pick<SeededChange, "named" | "regionsMax">,
  name: string,
  problems: string[],
) {
  const before = problems.length;
  const found = run.regions.slice(0, firstRegions);
  const says = ({ kind, name, text_before, text_after }: (typeof found)[number]) =>
    `${name} ${kind} ${text_before ?? ""} → ${text_after ?? ""}`;
  if (run.status !== "changed" || !run.reported)
    problems.push(`not found: the run is ${run.status}${run.error ? `: ${run.error.message}` : ""}`);
  else if (!found.some((region) => new RegExp(named.source, "i").test(says(region))))
    problems.push(`named wrongly: ${found.map(({ name }) => name).join(" · ") || "no region"}`);
  const others = run.regions.filter(({ kind }) => kind !== "moved").length;
  if (others > regionsMax) problems.push(`${others} regions count as changed, at most ${regionsMax} should`);
  if (problems.length > before) await keepImages(run, name);
}

async function keepImages({ screenshot, difference_link: difference }: Run, name: string): Promise<void> {
  for (const [kind, link] of [
    ["after", screenshot?.link],
    ["difference", difference],
  ] as const) {
    const response = link ? await fetch(link).catch(() => undefined) : undefined;
    if (response?.ok) await writeFile(join(output, `${name}-${kind}.png`), Buffer.from(await response.arrayBuffer()));
  }
}

function lineOf({ part, page, about, problems, regions }: Result): string {
  const said =
    problems.length > 0
      ? problems.join(" | ")
      : regions
          .slice(0, 2)
          .map(({ name }) => name)
          .join(" · ");
  return `${problems.length === 0 ? "ok   " : "WRONG"} ${part.padEnd(9)} ${page}${about ? `, ${about}` : ""}: ${said || `quiet`}`;
}

function summary(results: Result[]): string {
  return (["changes", "noise", "unchanged"] as const)
    .map((part) => ({ part, all: results.filter((one) => one.part === part) }))
    .filter(({ all }) => all.length > 0)
    .map(({ part, all }) => `${part}: ${all.filter(({ problems }) => problems.length === 0).length} of ${all.length} right`)
    .join("\n");
}
